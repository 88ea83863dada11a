import { parser } from '@prometheus-io/lezer-promql';

/** A series that an expression selects, with its selecting labels. */
export type Selected = { name: string; labels: string[] };

/** The parts of a Prometheus expression: its series, and the labels that it groups by. `mistakes` are invalid parts. */
export type Expression = { series: Selected[]; groupedBy: string[]; mistakes: string[] };

/** Reads an expression with the grammar of Prometheus. Variables of Grafana are replaced by durations. */
export function readExpression(written: string): Expression {
  const text = written.replaceAll(/\$__(?:rate_interval|range|interval)\b/g, '5m');
  const read: Expression = { series: [], groupedBy: [], mistakes: [] };
  parser.parse(text).iterate({
    enter: ({ name, from, to, type, node }) => {
      const part = text.slice(from, to);
      if (type.isError) read.mistakes.push(`${text.slice(0, from)}⟨${part}⟩`);
      if (name === 'VectorSelector')
        read.series.push({ name: text.slice(from, node.firstChild?.to ?? to), labels: [] });
      if (name !== 'LabelName') return;
      if (node.parent?.name === 'GroupingLabels') read.groupedBy.push(part);
      else read.series.at(-1)?.labels.push(part);
    },
  });
  return read;
}
