import { createPublicKey, sign } from 'node:crypto';

/** DER (X.690), as far as a certificate needs it. */
const tlv = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length =
    size < 128
      ? [size]
      : size < 65_536
        ? [0x82, size >> 8, size & 255]
        : [0x83, size >> 16, (size >> 8) & 255, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: Uint8Array[]) => tlv(0x30, ...parts);
const COMMON_NAME = Buffer.from([0x06, 3, 0x55, 4, 3]);
const SUBJECT_ALT_NAME = Buffer.from([0x06, 3, 0x55, 0x1d, 0x11]);
const ECDSA_WITH_SHA256 = sequence(Buffer.from([0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2]));

const nameOf = (text: Uint8Array, stringTag: number) =>
  sequence(tlv(0x31, sequence(COMMON_NAME, tlv(stringTag, text))));

export interface CertificateParts {
  commonName: Uint8Array;
  /** Tag of the name's string type: 12 is UTF8String. */
  nameTag: number;
  /** Texts of the validity: `GeneralizedTime` as `20200101000000Z`. */
  from: string;
  to: string;
  /** Alternative names with the tag of their kind: 0x82 a DNS name, 0x87 an address. */
  names: [tag: number, text: Uint8Array][];
  serial: Uint8Array;
}

/** A certificate (RFC 5280) that signs itself, with whatever fields are asked for. */
export function certificateOf(parts: CertificateParts, key: string): string {
  const name = nameOf(parts.commonName, parts.nameTag);
  const time = (text: string) => tlv(0x18, Buffer.from(text, 'latin1'));
  const names = sequence(...parts.names.map(([tag, text]) => tlv(tag, text)));
  const body = sequence(
    tlv(0xa0, tlv(2, Buffer.from([2]))),
    tlv(2, parts.serial.length > 0 ? parts.serial : Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(parts.from), time(parts.to)),
    name,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(sequence(SUBJECT_ALT_NAME, tlv(4, names)))),
  );
  const signature = tlv(3, Buffer.from([0]), sign('sha256', body, key));
  const der = sequence(body, ECDSA_WITH_SHA256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}
