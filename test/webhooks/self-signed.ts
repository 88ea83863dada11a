import { generateKeyPairSync, sign } from 'node:crypto';

/** Creates a key and its self-signed certificate in the form of `node:https`. */
export function selfSigned(host = '127.0.0.1'): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serial = der(0x02, Buffer.of(1));
  const algorithm = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'));
  const commonName = der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(host)));
  const name = der(0x30, der(0x31, commonName));
  const validity = der(0x30, ...['260101000000Z', '491231235959Z'].map((time) => der(0x17, Buffer.from(time))));
  const subjectKey = publicKey.export({ type: 'spki', format: 'der' });
  const content = der(0x30, serial, algorithm, name, validity, name, subjectKey);
  const signature = der(0x03, Buffer.of(0), sign('sha256', content, privateKey));
  const cert = der(0x30, content, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${cert.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

/** Encodes an element of ASN.1: its tag, its length and its content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...length), body]);
}
