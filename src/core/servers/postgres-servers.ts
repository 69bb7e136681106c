/** `postgres://user:password@`, the hosts, and all that follows them. */
const ADDRESS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/**
 * The address of each server that a PostgreSQL address names, as in
 * `postgres://user:password@a:5432,b:5432/name`. Clients accept only one host.
 */
export function postgresServers(address: string): string[] {
  const [, login = '', hosts = '', rest = ''] = ADDRESS.exec(address) ?? []
  return hosts.split(',').map((host) => login + host + rest)
}

/** The hosts of an address, for people: nothing else of it, as it may hold a password. */
export function postgresHosts(address: string): string {
  return postgresServers(address)
    .map((server) => URL.parse(server)?.host)
    .join(', ')
}
