// The tools of the reports. Each tool records its runs in a journal, so that the demo can count them at the end.
import { defineTool } from 'pawl/tools';
import { z } from 'zod';
import { openJournal } from '../journal.ts';

const journal = openJournal(process.env.PAWL_DEMO_JOURNAL ?? 'demo-journal.jsonl');
const input = z.object({ shop: z.string() });

const readSales = defineTool({
  name: 'read_sales',
  description: 'Read the sales of a shop on the last day.',
  input,
  effect: 'none',
  execute({ shop }) {
    journal.record('read_sales');
    return { shop, sold: 40 + shop.length };
  },
});

const orderStock = defineTool({
  name: 'order_stock',
  description: 'Order the goods that a shop has sold.',
  input,
  effect: 'at_most_once',
  execute({ shop }) {
    journal.record('order_stock');
    return { shop, ordered: 40 + shop.length };
  },
});

const fileReport = defineTool({
  name: 'file_report',
  description: 'File the report of a shop.',
  input,
  effect: 'idempotent',
  execute({ shop }) {
    journal.record('file_report');
    return { shop, filed: true };
  },
});

export default [readSales, orderStock, fileReport];
