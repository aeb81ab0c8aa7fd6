import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** A key and a certificate, PEM. */
export interface Identity {
  readonly key: string
  readonly cert: string
}

/** DER: a tag, a length, a content. https://www.itu.int/rec/T-REC-X.690 */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  const n = content.length
  const length = n < 128 ? [n] : n < 256 ? [0x81, n] : [0x82, n >> 8, n & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const sequence = (...items: readonly Uint8Array[]): Buffer => der(0x30, ...items)
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const text = (tag: number, value: string): Buffer => der(tag, Buffer.from(value))

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'))
const COMMON_NAME = oid('550403')
const SUBJECT_ALT_NAME = oid('551d11')
const BASIC_CONSTRAINTS = oid('551d13')

const nameOf = (name: string): Buffer => sequence(der(0x31, sequence(COMMON_NAME, text(0x0c, name))))
const extension = (id: Buffer, value: Buffer): Buffer => sequence(id, der(0x04, value))

/** For `host` (localhost: 127.0.0.1 too), valid from 2020 to 2049; signed by `issuer`, or by itself as an authority. */
export function createIdentity(
  name: string,
  issuer?: { readonly name: string; readonly key: string },
  host = 'localhost',
): Identity {
  const loopback = host === 'localhost' ? [der(0x87, Buffer.from([127, 0, 0, 1]))] : []
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.from([1, ...crypto.getRandomValues(new Uint8Array(8))])),
    ECDSA_WITH_SHA256,
    nameOf(issuer?.name ?? name),
    sequence(text(0x17, '200101000000Z'), text(0x17, '491231235959Z')),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        extension(BASIC_CONSTRAINTS, issuer === undefined ? sequence(der(0x01, Buffer.from([255]))) : sequence()),
        extension(SUBJECT_ALT_NAME, sequence(text(0x82, host), ...loopback)),
      ),
    ),
  )
  const signature = sign('sha256', body, issuer?.key ?? privateKey)
  const certificate = sequence(body, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature))
  return { key: pemKey(privateKey), cert: pem('CERTIFICATE', certificate) }
}

const pemKey = (key: KeyObject): string => String(key.export({ type: 'pkcs8', format: 'pem' }))
const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END ${label}-----\n`

/** Whether the certificate holds this key: the builder's own check. */
export const holdsKey = ({ key, cert }: Identity): boolean => createPublicKey(cert).equals(createPublicKey(key))
