import { parser } from '@prometheus-io/lezer-promql';

/** A series that an expression selects, with the labels it is selected by. */
export type Selected = { name: string; labels: string[] };

/** What an expression of Prometheus names: its series, and the labels that it groups by. `mistakes` are the parts that are none. */
export type Expression = { series: Selected[]; groupedBy: string[]; mistakes: string[] };

/** Reads an expression with the grammar of Prometheus; variables of Grafana are put in as durations. */
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
