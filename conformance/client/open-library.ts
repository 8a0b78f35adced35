// A small service for tests of the client, and a `fetch` that counts, delays and breaks requests.

import { TestService } from '../harness/test-service.ts'

const sdl = `
type Book @allow {
  id: ID!
  title: String! @constraint(maxLength: 40)
  pages: Int
  isbn: String @unique
  secret: String @allow(role: "admin", to: [READ])
  about: About
  author: Author
}
type Author @allow { id: ID! name: String! books: [Book!]! }
type About { text: String words: Int }
`

export interface SentRequest {
  url: string
  method: string
  headers: Headers
  body: string
}

export class Library {
  readonly service: TestService
  readonly url: string
  /** The requests that were sent, in order. */
  readonly sent: SentRequest[] = []
  /** How many requests are in flight. */
  pending = 0
  /** Called before each request; what it returns is the answer instead of the server's, and what it throws is a lost connection. */
  before: ((sent: SentRequest) => unknown) | null = null
  /** Called with each answer; the answer is lost if this throws. */
  behind: ((sent: SentRequest) => unknown) | null = null

  private constructor(service: TestService) {
    this.service = service
    this.url = `${service.address}/graphql`
  }

  /** The caller closes it. */
  static async open(): Promise<Library> {
    return new Library(await TestService.open({ after() {} }, sdl))
  }

  close(): Promise<void> {
    return this.service.close()
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const sent = {
      url,
      method: init.method ?? 'GET',
      headers: new Headers(init.headers),
      body: String(init.body ?? ''),
    }
    this.sent.push(sent)
    this.pending++
    try {
      const instead = await this.before?.(sent)
      if (instead instanceof Response) return instead
      const reply = await fetch(url, init)
      await this.behind?.(sent)
      return reply
    } finally {
      this.pending--
    }
  }

  /** Creates a book by REST, without the client. */
  async book(fields: Record<string, unknown>): Promise<{ id: string }> {
    return await this.service.succeed('POST', '/books', fields)
  }

  /** The names of the operations that were sent since the last call. */
  sentOperations(): string[] {
    return this.sent.splice(0).map(({ body }) => /(?:query|mutation) (\w*)/.exec(body)?.[1] ?? body)
  }
}

/** A promise with its resolver. */
export function promised<T = void>(): {
  promise: Promise<T>
  resolve: (value: T) => void
  reject: (error: unknown) => void
} {
  return Promise.withResolvers<T>()
}
