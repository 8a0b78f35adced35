// Where the servers of an address are. The driver takes an IPv6 number for a host and a port, a folder of sockets for a name, and
// a database's name as it is spelled.

export interface ServerAddresses {
  /** In the order in which they are tried. */
  host?: string[]
  port?: number[]
  /** A socket of this machine, in their place. */
  path?: string
  database?: string
}

/** What the driver would take for settings of the session. */
const serverParameters = ['host', 'port']

/** Throws where it can't be read. What it does not say is the driver's to know (`PGHOST`, `PGDATABASE`…). */
export function serverAddresses(address: string): ServerAddresses {
  const { host, pathname, searchParams } = new URL(address)
  const database = pathname.length > 1 ? { database: decodeURIComponent(pathname.slice(1)) } : {}
  const said = host === '' ? (searchParams.get('host') ?? '') : decodeURIComponent(host)
  if (said === '') return database
  const usual = searchParams.get('port') ?? process.env.PGPORT ?? '5432'
  const servers = said.split(',').map((server) => /^\[?(.*?)\]?(?::(\d+))?$/.exec(server)!)
  const hosts = servers.map(([, host]) => host!)
  const ports = servers.map(([, , port = usual]) => Number(port))
  return said.startsWith('/')
    ? { ...database, path: `${hosts[0]}/.s.PGSQL.${ports[0]}` }
    : { ...database, host: hosts, port: ports }
}

/** The rest of the address. */
export function withoutServers(address: string): string {
  const url = new URL(address)
  if (!serverParameters.some((name) => url.searchParams.has(name))) return address
  for (const name of serverParameters) url.searchParams.delete(name)
  return url.href
}
