import type { ComponentChildren } from 'preact';

type MessageProps = { author: string; id?: string | undefined; children: ComponentChildren };

/** A message with the role of its author. `id` is the id of the call that it makes or answers. */
export function Message({ author, id, children }: MessageProps) {
  return (
    <div class={`message ${author}`}>
      <p class="role">
        {author}
        {id && <code> {id}</code>}
      </p>
      <div>{children}</div>
    </div>
  );
}
