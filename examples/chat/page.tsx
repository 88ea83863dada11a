import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

const id = location.pathname.split('/').at(-1) ?? '';

const transport = new DefaultChatTransport({
  api: `/api/${id}/messages`,
  prepareSendMessagesRequest: ({ messages }) => {
    const sent = messages.at(-1);
    return {
      body: { key: sent?.id, text: sent?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') },
    };
  },
  prepareReconnectToStreamRequest: () => ({ api: `/api/${id}/stream` }),
});

function Chat({ earlier }: { earlier: UIMessage[] }) {
  const { messages, sendMessage, resumeStream, status, error } = useChat({
    id,
    messages: earlier,
    transport,
    resume: true,
  });
  const [text, setText] = useState('');
  const isLost = error !== undefined && isWorthAsking(error);

  // The turn continues without this connection. Request its stream again, which begins at the start.
  useEffect(() => {
    if (!error || !isWorthAsking(error)) return;
    const timer = setTimeout(() => void resumeStream(), 500);
    return () => clearTimeout(timer);
  }, [error, resumeStream]);

  const isBusy = isLost || status === 'submitted' || status === 'streaming';
  return (
    <>
      {messages.map((message) => (
        <Message key={message.id} message={message} />
      ))}
      <p role="status">{isLost ? 'Connecting again…' : status === 'error' ? error?.message : status}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void sendMessage({ text });
          setText('');
        }}
      >
        <input aria-label="Message" value={text} onChange={({ target }) => setText(target.value)} />
        {isBusy ? (
          <button type="button" onClick={() => void fetch(`/api/${id}/stop`, { method: 'POST' })}>
            Stop
          </button>
        ) : (
          <button type="submit" disabled={text === ''}>
            Send
          </button>
        )}
      </form>
      <style>{STYLE}</style>
    </>
  );
}

function Message({ message: { role, parts } }: { message: UIMessage }) {
  return (
    <article className={role}>
      {parts.map((part, place) => {
        const key = `${part.type} ${place}`;
        if (part.type === 'text') return <p key={key}>{part.text}</p>;
        if (part.type === 'reasoning') return <small key={key}>{part.text}</small>;
        if (part.type === 'dynamic-tool') return <code key={key}>{`${part.toolName}: ${part.state}`}</code>;
        return null;
      })}
    </article>
  );
}

/** Returns whether a retry helps. It does after a lost connection, but not after a failed turn. */
function isWorthAsking(error: Error): boolean {
  return error instanceof TypeError || /^(stream_superseded|server_stopping|pawl_away): /.test(error.message);
}

const STYLE = `
  body { font: 16px/1.5 system-ui; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
  article { margin: 1rem 0; padding: .1rem 1rem; border-radius: 1rem; white-space: pre-wrap }
  .user { background: #8883; margin-left: 4rem }
  code, small { display: block; opacity: .7 }
  form { display: flex; gap: .5rem; position: sticky; bottom: 1rem }
  input { flex: 1; font: inherit; padding: .5rem }
  [role=status] { opacity: .5; font-size: .8rem }`;

const earlier: UIMessage[] = await (await fetch(`/api/${id}/messages`)).json();
createRoot(document.querySelector('main') as HTMLElement).render(<Chat earlier={earlier} />);
