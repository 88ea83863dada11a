import { checkGeminiForm } from './answer-form.ts';
import { isObject, isSaid, repeated, unless } from './problems.ts';
import { checkGeminiSchema } from './tool-schema.ts';

type Named = { id?: string; name?: string; args?: unknown; response?: unknown };
type HostedPart = { id?: string; toolType?: string };
type Part = {
  text?: unknown;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: Named;
  functionResponse?: Named;
  toolCall?: HostedPart;
  toolResponse?: HostedPart;
} & Record<string, unknown>;
type Content = { role?: string; parts?: Part[] };
type Body = {
  contents?: Content[];
  systemInstruction?: { parts?: Part[] };
  tools?: ({ functionDeclarations?: { name?: string; parametersJsonSchema?: unknown }[] } & Record<string, unknown>)[];
  toolConfig?: {
    functionCallingConfig?: { mode?: string; allowedFunctionNames?: string[] };
    includeServerSideToolInvocations?: boolean;
  };
};

const NAME = /^[a-zA-Z_][\w.:-]{0,63}$/;
const DATA = [
  ...['text', 'functionCall', 'functionResponse', 'inlineData', 'fileData'],
  ...['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'],
];

/** Returns the reasons of generateContent to refuse a request to this model. */
export function checkGemini(request: object, model: string): string[] {
  const body = request as Body;
  const { contents = [], systemInstruction } = body;
  return [
    ...unless(contents.length > 0, 'no contents'),
    ...unless(contents.at(-1)?.role === 'user', 'the model speaks last'),
    ...unless(
      !systemInstruction || systemInstruction.parts?.some(({ text }) => isSaid(text)) === true,
      'no instruction',
    ),
    ...contents.flatMap((_, index) => checkContent(contents, index).map((problem) => `[${index}] ${problem}`)),
    ...(isThirdGeneration(model) ? checkSignatures(contents) : []),
    ...checkTools(body),
    ...checkHosted(body, model),
    ...checkGeminiForm({ ...request }),
  ];
}

function isThirdGeneration(model: string): boolean {
  return /gemini-([3-9]|\d\d)/.test(model);
}

function checkContent(contents: Content[], index: number): string[] {
  const { role, parts = [] } = contents[index]!;
  return [
    ...unless(role === (index % 2 === 0 ? 'user' : 'model'), `${role} out of turn`),
    ...unless(parts.length > 0, 'no parts'),
    ...parts.flatMap((part) => checkPart(part, role)),
    ...(role === 'model' ? checkHostedParts(parts) : []),
    ...(role === 'user' ? checkAnswers(parts, callsOf(contents[index - 1])) : []),
  ];
}

function checkPart(part: Part, role: string | undefined): string[] {
  const data = DATA.filter((field) => part[field] !== undefined);
  const { functionCall: call, functionResponse: answer, text } = part;
  const named = call ?? answer;
  return [
    ...unless(data.length === 1, `a part with ${data.join(' and ') || 'nothing in it'}`),
    ...unless(text === undefined || text !== '' || Boolean(part.thoughtSignature), 'an empty text'),
    ...unless(!named || NAME.test(named.name ?? ''), `the name ${named?.name}`),
    ...unless(
      !call || (role === 'model' && isObject(call.args ?? {})),
      'a call of the user, or args that are no object',
    ),
    ...unless(!answer || (role === 'user' && isObject(answer.response)), 'a response that is no object'),
    ...unless(!part.inlineData || isWhole(part.inlineData, ['mimeType', 'data']), 'data without a type'),
    ...unless(!part.fileData || isWhole(part.fileData, ['fileUri']), 'a file without an address'),
    ...unless(!part.thought || (role === 'model' && Boolean(part.thoughtSignature)), 'a thought without signature'),
  ];
}

function isWhole(value: unknown, fields: string[]): boolean {
  return isObject(value) && fields.every((field) => isSaid(value[field]));
}

/** Checks that the next content begins with a response for each call, in order, with the id if given. */
function checkAnswers(parts: Part[], calls: Named[]): string[] {
  const answers = parts.flatMap(({ functionResponse: answer }) => answer ?? []);
  const isFirst = parts.slice(0, answers.length).every(({ functionResponse: answer }) => answer);
  return [
    ...unless(answers.length === calls.length, `${answers.length} responses to ${calls.length} calls`),
    ...unless(answers.map(({ name }) => name).join() === calls.map(({ name }) => name).join(), 'responses to others'),
    ...unless(answers.map(({ id }) => id).join() === calls.map(({ id }) => id).join(), 'responses with other ids'),
    ...repeated(calls.flatMap(({ id }) => id ?? [])).map((id) => `two calls with the id ${id}`),
    ...unless(isFirst, 'words before the responses'),
  ];
}

/** Checks that the first call of each step since the last user text is signed, and each call of a hosted tool. */
function checkSignatures(contents: Content[]): string[] {
  const start = contents.findLastIndex(({ role, parts }) => role === 'user' && parts?.some(({ text }) => text));
  const steps = contents.slice(start + 1).map(({ parts = [] }) => parts);
  const firsts = steps.map((parts) => parts.find((part) => part.functionCall));
  const hosted = steps.flatMap((parts) => parts.filter((part) => part.toolCall));
  return [...firsts, ...hosted].flatMap((part) =>
    unless(!part || Boolean(part.thoughtSignature), 'a call of this turn, unsigned'),
  );
}

/** Checks that each result of a hosted tool follows its call. */
function checkHostedParts(parts: Part[]): string[] {
  return parts.flatMap((part, index) => {
    const before = parts.slice(0, index);
    const { toolResponse: answer, codeExecutionResult: result } = part;
    const isCalled = !answer || before.some(({ toolCall }) => toolCall && toolCall.id === answer.id);
    const isRun = result === undefined || before.some(({ executableCode }) => executableCode);
    return unless(isCalled && isRun, 'a result of a hosted tool without its call');
  });
}

/** Checks hosted tools beside functions, which only newer models combine, and only if the calls are shown. */
function checkHosted({ tools = [], toolConfig = {} }: Body, model: string): string[] {
  // Google reads both spellings.
  const hosted = tools.filter((tool) => !tool.functionDeclarations && !tool.function_declarations);
  if (hosted.length === 0 || hosted.length === tools.length) return [];
  const { functionCallingConfig: calling, includeServerSideToolInvocations: areShown } = toolConfig;
  return [
    ...unless(isThirdGeneration(model), 'Tool use with function calling is unsupported'),
    ...unless(areShown === true, 'Please enable tool_config.include_server_side_tool_invocations'),
    ...unless(calling?.mode !== undefined && calling.mode !== 'AUTO', 'the mode AUTO beside hosted tools'),
  ];
}

function checkTools({ tools = [], toolConfig }: Body): string[] {
  const declared = tools.flatMap((tool) => tool.functionDeclarations ?? []);
  const names = declared.map(({ name }) => name ?? '');
  const calling = toolConfig?.functionCallingConfig;
  const { mode, allowedFunctionNames: allowed } = calling ?? {};
  return [
    ...declared.flatMap((each) => checkGeminiSchema(each.parametersJsonSchema)),
    ...names.flatMap((name) => unless(NAME.test(name), `a tool with the name ${name}`)),
    ...repeated(names).map((name) => `two tools with the name ${name}`),
    ...unless(!calling || names.length > 0, 'a calling mode without tools'),
    ...unless(!allowed || mode === 'ANY' || mode === 'VALIDATED', 'allowed names in another mode than ANY'),
    ...(allowed ?? []).flatMap((name) => unless(names.includes(name), `a choice of ${name}, which is not declared`)),
  ];
}

function callsOf(content: Content | undefined): Named[] {
  return (content?.parts ?? []).flatMap(({ functionCall: call }) => call ?? []);
}
