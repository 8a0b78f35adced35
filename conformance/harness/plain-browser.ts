// A browser as far as redirects and cookies go: it follows addresses, and has a jar of cookies.

interface Visit {
  /** The last address. */
  url: URL
  status: number
  text: string
  /** Every address on the way. */
  way: string[]
}

export class PlainBrowser {
  readonly cookies = new Map<string, string>()

  /** Follows redirects until an address starts with `until`, which it does not open. */
  async visit(address: string, until = 'none:'): Promise<Visit> {
    const way: string[] = []
    let url = new URL(address)
    for (let step = 0; step < 20; step++) {
      way.push(url.href)
      if (url.href.startsWith(until)) return { url, status: 0, text: '', way }
      const reply = await this.request(url.href)
      const location = reply.headers.get('location')
      if (location === null) return { url, status: reply.status, text: await reply.text(), way }
      await reply.body?.cancel()
      url = new URL(location, url)
    }
    throw new Error(`too many redirects: ${way.join('\n')}`)
  }

  /** One request, without following. */
  async request(address: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(address)
    const own = [...this.cookies].filter(([key]) => key.startsWith(`${host} `))
    const cookie = own.map(([key, value]) => `${key.slice(host.length + 1)}=${value}`).join('; ')
    const reply = await fetch(address, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } })
    for (const set of reply.headers.getSetCookie()) this.#keep(host, set)
    return reply
  }

  #keep(host: string, set: string): void {
    const [pair = '', ...attributes] = set.split(';').map((part) => part.trim())
    const at = pair.indexOf('=')
    const key = `${host} ${pair.slice(0, at)}`
    const isOver = attributes.some((one) => /^max-age=0$/i.test(one) || /^expires=Thu, 01 Jan 1970/i.test(one))
    if (isOver || pair.slice(at + 1) === '') this.cookies.delete(key)
    else this.cookies.set(key, pair.slice(at + 1))
  }
}
