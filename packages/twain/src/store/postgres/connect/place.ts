/** Host and database for messages and logs, without user name or password. */
export function describeAddress(address: string): string {
  try {
    const { host, pathname } = new URL(address)
    return `postgres://${host}${pathname}`
  } catch {
    return 'postgres://'
  }
}
