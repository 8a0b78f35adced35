/** Host and database, for sentences and logs: never a name or a password. */
export function describeAddress(address: string): string {
  try {
    const { host, pathname } = new URL(address)
    return `postgres://${host}${pathname}`
  } catch {
    return 'postgres://'
  }
}
