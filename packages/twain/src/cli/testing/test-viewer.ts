// A viewer of a test service, who sends requests over HTTP.

export interface TestReply {
  status: number
  headers: Headers
  /** Parsed JSON, or text. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of the answers that it expects
  body: any
}

export class TestViewer {
  /** Null for viewers without an account. */
  readonly id: string
  /** For `authorization: Bearer …`; null for anonymous viewers. */
  readonly token: string | null
  readonly #address: string

  constructor(address: string, token: string | null, id: string | null) {
    this.#address = address
    this.token = token
    this.id = id ?? ''
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<TestReply> {
    return this.send('GET', path, undefined, headers)
  }

  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<TestReply> {
    return this.send('POST', path, body, headers)
  }

  put(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<TestReply> {
    return this.send('PUT', path, body, headers)
  }

  patch(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<TestReply> {
    return this.send('PATCH', path, body, headers)
  }

  delete(path: string, headers: Readonly<Record<string, string>> = {}): Promise<TestReply> {
    return this.send('DELETE', path, undefined, headers)
  }

  /** The body of the answer is `{ data, errors }`. */
  graphql(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<TestReply> {
    return this.send('POST', '/graphql', { query, variables })
  }

  /** A body that is no text is sent as JSON. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestReply> {
    const authorization = this.token === null ? {} : { authorization: `Bearer ${this.token}` }
    const reply = await fetch(this.#address + path, {
      method,
      headers: { accept: 'application/json', ...contentType(body), ...authorization, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await reply.text()
    const isJson = /\bjson\b/.test(reply.headers.get('content-type') ?? '') && text !== ''
    return { status: reply.status, headers: reply.headers, body: isJson ? JSON.parse(text) : text }
  }
}

function contentType(body: unknown): Record<string, string> {
  return body === undefined ? {} : { 'content-type': 'application/json' }
}
