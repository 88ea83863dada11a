/** Whether a place of a text is within the thoughts of some servers before an answer: `<think>…</think>`. */
export type ThoughtPlace = {
  isThinking: boolean;
  /** Whether only thoughts and white space precede this place. Thoughts begin only there. */
  isAhead: boolean;
  /** Whether thoughts have ended before this place. */
  hasThought: boolean;
  /** The last characters if they may be a tag. */
  tag: string;
};

const LONGEST_TAG = '</seed:think>'.length;
const TAG = /^[<◁](\/?)(?:think(?:ing)?|thoughts?|reason(?:ing)?|seed:think)[>▷]$/i;

export function startThoughts(): ThoughtPlace {
  return { isThinking: false, isAhead: true, hasThought: false, tag: '' };
}

/** Returns whether thoughts end with the next character. Templates may write the first opening tag. */
export function endsThoughts(place: ThoughtPlace, char: string): boolean {
  if (char === '<' || char === '◁') {
    place.tag = char;
    return false;
  }
  if (place.tag === '') {
    if (place.isAhead && char.trim() !== '') place.isAhead = false;
    return false;
  }
  place.tag += char;
  if (char === '>' || char === '▷') return passTag(place);
  if (place.tag.length > LONGEST_TAG) leaveTag(place);
  return false;
}

function passTag(place: ThoughtPlace): boolean {
  const [tag, slash] = TAG.exec(place.tag) ?? [];
  const isEnd = tag !== undefined && slash !== '' && (place.isThinking || !place.hasThought);
  const isBeginning = tag !== undefined && slash === '' && place.isAhead;
  if (!isEnd && !isBeginning) {
    leaveTag(place);
    return false;
  }
  Object.assign(place, { tag: '', isThinking: isBeginning, isAhead: true, hasThought: place.hasThought || isEnd });
  return isEnd;
}

function leaveTag(place: ThoughtPlace): void {
  place.tag = '';
  place.isAhead = false;
}
