import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

/** The certificate that a server shows and the key that proves it, both as PEM. */
export type Certificate = { cert: string; key: string }

export type Authority = {
  /** Its own certificate, for those who shall trust it, and the key of that. */
  cert: string
  key: string
  issue(names: readonly string[], days?: Days): Certificate
}

/** When a certificate is valid, in days from now. */
type Days = { from: number; to: number }

const DAY_MS = 86_400_000
const A_YEAR: Days = { from: -1, to: 365 }

// The tags of DER, the encoding of certificates.
const BOOLEAN = 0x01
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const OBJECT_ID = 0x06
const UTF8_TEXT = 0x0c
const GENERALIZED_TIME = 0x18
const SEQUENCE = 0x30
const SET = 0x31
const EXPLICIT_VERSION = 0xa0
const EXPLICIT_EXTENSIONS = 0xa3
const DNS_NAME = 0x82
const IP_ADDRESS = 0x87

// Object identifiers, encoded.
const ECDSA_WITH_SHA256 = '2a8648ce3d040302'
const COMMON_NAME = '550403'
const BASIC_CONSTRAINTS = '551d13'
const SUBJECT_ALT_NAME = '551d11'

const VERSION_3 = 2

/** A throw-away authority: its key lives as long as the test. */
export function makeAuthority(name = 'test authority'): Authority {
  const { publicKey, privateKey } = newKeys()
  const issuer = { name, privateKey }
  return {
    cert: certificate({ issuer, subject: name, publicKey, days: A_YEAR, extension: isAuthority() }),
    key: pemOf(privateKey),
    issue(names, days = A_YEAR) {
      const keys = newKeys()
      const subject = names[0] ?? 'nobody'
      const extension = goesFor(names)
      return {
        cert: certificate({ issuer, subject, publicKey: keys.publicKey, days, extension }),
        key: pemOf(keys.privateKey),
      }
    },
  }
}

type Content = {
  issuer: { name: string; privateKey: KeyObject }
  subject: string
  publicKey: KeyObject
  days: Days
  extension: Buffer
}

let serial = 0

function certificate({ issuer, subject, publicKey, days, extension }: Content): string {
  const algorithm = der(SEQUENCE, objectId(ECDSA_WITH_SHA256))
  const now = Date.now()
  const toBeSigned = der(
    SEQUENCE,
    der(EXPLICIT_VERSION, der(INTEGER, Buffer.of(VERSION_3))),
    der(INTEGER, Buffer.of(1, ++serial >> 8, serial & 0xff)),
    algorithm,
    nameOf(issuer.name),
    der(SEQUENCE, time(now + days.from * DAY_MS), time(now + days.to * DAY_MS)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXPLICIT_EXTENSIONS, der(SEQUENCE, extension)),
  )
  const signature = sign('sha256', toBeSigned, issuer.privateKey)
  const whole = der(SEQUENCE, toBeSigned, algorithm, der(BIT_STRING, Buffer.of(0), signature))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function isAuthority(): Buffer {
  const yes = der(BOOLEAN, Buffer.of(0xff))
  return der(SEQUENCE, objectId(BASIC_CONSTRAINTS), yes, der(OCTET_STRING, der(SEQUENCE, yes)))
}

function goesFor(names: readonly string[]): Buffer {
  const entries = names.map((name) =>
    isIPv4(name)
      ? der(IP_ADDRESS, Buffer.from(name.split('.').map(Number)))
      : der(DNS_NAME, Buffer.from(name, 'latin1')),
  )
  return der(SEQUENCE, objectId(SUBJECT_ALT_NAME), der(OCTET_STRING, der(SEQUENCE, ...entries)))
}

function nameOf(name: string): Buffer {
  const attribute = der(SEQUENCE, objectId(COMMON_NAME), der(UTF8_TEXT, Buffer.from(name)))
  return der(SEQUENCE, der(SET, attribute))
}

function time(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replace(/[-:T]/g, '').slice(0, 14)
  return der(GENERALIZED_TIME, Buffer.from(`${digits}Z`))
}

function objectId(hex: string): Buffer {
  return der(OBJECT_ID, Buffer.from(hex, 'hex'))
}

/** One value: its tag, its length, its content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content])
  if (length < 0x100) return Buffer.concat([Buffer.of(tag, 0x81, length), content])
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content])
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}
