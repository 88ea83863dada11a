import { inOrder } from '../base/memo.tsx';
import type { Turn } from '../base/turn.ts';
import { MarkdownView } from './markdown-view.tsx';
import { ImageView } from './part-view.tsx';
import { SourcesView } from './sources-view.tsx';

type AnswerProps = { text: string | null; parts: Turn['output_parts']; annotations: Turn['output_annotations'] };

/** The text of a model with its images in order, and its sources below. */
export function AnswerContent({ text, parts, annotations }: AnswerProps) {
  return (
    <>
      {parts ? <PartList parts={parts} /> : text && <MarkdownView text={text} />}
      <SourcesView annotations={annotations} />
    </>
  );
}

function PartList({ parts }: { parts: NonNullable<Turn['output_parts']> }) {
  return inOrder(parts, (part) =>
    part.type === 'output_text' ? (
      <MarkdownView text={part.text.trim()} />
    ) : (
      <ImageView path={part.image_url} words="Image by the model" />
    ),
  );
}
