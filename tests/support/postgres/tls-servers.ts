import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeAuthority } from '../basics/certificates.ts'
import { isRoot, NOBODY } from '../basics/kept-server.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

/** Servers with and without a certificate, and files of authorities. */
export type TlsServers = {
  /** With a certificate for `localhost`. */
  encrypted: PostgresServer
  /** With one for another host, of the same authority. */
  misnamed: PostgresServer
  plain: PostgresServer
  /** The file of the authority that issued both. */
  ca: string
  otherCa: string
  close(): Promise<void>
}

export async function startTlsServers(): Promise<TlsServers> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-tls-'))
  chmodSync(folder, 0o755)
  const authority = makeAuthority()

  const write = (name: string, text: string) => {
    const file = join(folder, name)
    writeFileSync(file, text, { mode: 0o600 })
    // The server refuses to read a key that another user owns.
    if (isRoot) chownSync(file, NOBODY, NOBODY)
    return file
  }
  const startFor = (name: string) => {
    const { cert, key } = authority.issue([name])
    const [certFile, keyFile] = [write(`${name}.pem`, cert), write(`${name}.key`, key)]
    return startPostgresServer(['ssl=on', `ssl_cert_file=${certFile}`, `ssl_key_file=${keyFile}`])
  }
  const servers = {
    encrypted: await startFor('localhost'),
    misnamed: await startFor('db.example'),
    plain: await startPostgresServer(),
  }
  return {
    ...servers,
    ca: write('ca.pem', authority.cert),
    otherCa: write('other-ca.pem', makeAuthority('another authority').cert),
    async close() {
      await Promise.all(Object.values(servers).map((server) => server.close()))
      rmSync(folder, { recursive: true })
    },
  }
}
