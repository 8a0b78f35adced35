// A pooler that assigns its connections by transaction can't serve Twain. Its provider has another address that leads to the
// database itself; this finds out which.

interface Provider {
  host: RegExp
  port?: number
  /** What to use instead. `host` is that of the address. */
  advice(host: string): string
}

const providers: readonly Provider[] = [
  {
    host: /-pooler\.[^/]*neon\.(tech|build)$/,
    advice: (host) => `On Neon, use the host without "-pooler": ${host.replace('-pooler.', '.')}.`,
  },
  {
    host: /\.supabase\.(com|co)$/,
    port: 6543,
    advice: (host) => `On Supabase, use port 5432 instead of 6543: ${host}:5432.`,
  },
  {
    host: /\.postgres\.database\.azure\.com$/,
    port: 6432,
    advice: (host) => `On Azure, use port 5432 instead of 6432: ${host}:5432.`,
  },
  {
    host: /\.db\.ondigitalocean\.com$/,
    port: 25_061,
    advice: (host) => `On DigitalOcean, use port 25060 instead of 25061: ${host}:25060.`,
  },
  {
    host: /\.proxy-[^.]+\.[^.]+\.rds\.amazonaws\.com$/,
    advice: () => 'On Amazon RDS, use the endpoint of the cluster or instance instead of that of the proxy.',
  },
]

/** Which address to use instead of a pooler's. */
export function directAddressAdvice(address: string): string {
  const { hostname, port, searchParams } = new URL(address)
  const found = providers.find(
    (one) => one.host.test(hostname) && (one.port === undefined || String(one.port) === port),
  )
  if (found !== undefined) return found.advice(hostname)
  const isNamed = searchParams.get('pgbouncer') === 'true' ? ' (the address says pgbouncer=true)' : ''
  return (
    `Use the address of the database itself, which providers call direct or unpooled${isNamed}, or set pool_mode = session ` +
    'in PgBouncer.'
  )
}
