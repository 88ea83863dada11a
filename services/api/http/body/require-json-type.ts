import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';

/** Refuses a body that its headers say is not plain JSON in UTF-8: it would be misread. */
export function requireJsonType(header: (name: string) => string | undefined): void {
  const [type = '', ...parameters] = (header('content-type') ?? '').split(';').map((text) => text.trim());
  if (!/^application\/([\w.+-]+\+)?json$/i.test(type)) {
    throw unsupported('Send the body as JSON with `Content-Type: application/json`.');
  }
  const charset = parameters.find((parameter) => /^charset\s*=/i.test(parameter))?.replace(/^[^=]*=\s*/, '');
  if (charset !== undefined && !/^"?utf-?8"?$/i.test(charset)) {
    throw unsupported(`The charset ${quote(charset)} is not accepted. Send the body in UTF-8.`, 'Content-Type');
  }
  requireNoEncoding(header);
}

/** Refuses a body that its headers say is not a multipart form. Returns the boundary of its parts. */
export function requireMultipartType(header: (name: string) => string | undefined): string {
  const [type = '', ...parameters] = (header('content-type') ?? '').split(';').map((text) => text.trim());
  const given = parameters.flatMap((parameter) => BOUNDARY.exec(parameter)?.groups?.boundary ?? [])[0];
  if (type.toLowerCase() !== 'multipart/form-data' || given === undefined) {
    throw unsupported('Send the body as a form with `Content-Type: multipart/form-data` and its boundary.');
  }
  requireNoEncoding(header);
  return given;
}

const BOUNDARY = /^boundary\s*=\s*("?)(?<boundary>[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])\1$/i;

function requireNoEncoding(header: (name: string) => string | undefined): void {
  const encoding = header('content-encoding');
  if (encoding !== undefined && !/^\s*(?:identity\s*)?$/i.test(encoding)) {
    const message = `The encoding ${quote(encoding)} is not accepted. Send the body as it is, without \`Content-Encoding\`.`;
    throw unsupported(message, 'Content-Encoding');
  }
}

function unsupported(message: string, param: string | null = null): RequestRefused {
  return new RequestRefused(415, 'unsupported_media_type', message, param);
}
