import { postgresServers } from '../../core/servers/postgres-servers.ts'

type Said = { from?: string; to?: string }

/** Where a move goes, read from the command line and the option `database`. */
type Planned = { folder: string; url: string; to: 'folder' | 'server' }

const ADDRESS = /^postgres(ql)?:/

/** A sentence when the two do not make a move. It repeats no address. */
export function planMove({ from, to }: Said, database: string | undefined): Planned | string {
  if (from === undefined && to === undefined) return 'migrate needs --from and --to'
  const [source, target] = [from ?? database, to ?? database]
  if (source === undefined) return 'migrate needs --from, or the option database'
  if (target === undefined) return 'migrate needs --to, or the option database'
  const isFromServer = ADDRESS.test(source)
  if (isFromServer === ADDRESS.test(target)) {
    return 'migrate goes between a folder and a postgres:// address, which --from and --to name'
  }
  const [folder, url] = isFromServer ? [target, source] : [source, target]
  if (!postgresServers(url).every((server) => URL.parse(server)?.hostname)) {
    return `${isFromServer ? '--from' : '--to'} must be a postgres:// address with a host`
  }
  return { folder, url, to: isFromServer ? 'folder' : 'server' }
}
