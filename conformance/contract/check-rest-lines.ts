// Checks each line of the table of REST paths against the running server. Returns what is false.

import type { Reply, SendOptions } from './clients.ts'
import type { ContractService } from './contract-service.ts'
import { type RestLine, restLines } from './printed-contract.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export async function checkRestLines(service: ContractService): Promise<string[]> {
  const lines = restLines(service.contract)
  const false_: string[] = []
  for (const line of lines) {
    const report = (text: string) => false_.push(`${line.method} ${line.path}: ${text}`)
    const check = new LineCheck(service, line, lines, report)
    await check.run()
  }
  return false_
}

class LineCheck {
  readonly #service: ContractService
  readonly #line: RestLine
  readonly #lines: readonly RestLine[]
  readonly #report: (text: string) => void
  #id: Promise<string | null> | null = null

  constructor(service: ContractService, line: RestLine, lines: readonly RestLine[], report: (text: string) => void) {
    this.#service = service
    this.#line = line
    this.#lines = lines
    this.#report = report
  }

  async run(): Promise<void> {
    const { method, success } = this.#line
    // 303 sends a browser to a provider, of which these services have none.
    if (success.some((status) => status.startsWith('3') && !['303', '304'].includes(status))) return this.#redirect()
    await this.#methods()
    await this.#withoutToken()
    if (method === 'GET') {
      await this.#parameters()
      await this.#successOfRead()
    }
    const target = await this.#writable()
    if (this.#line.bodies.length > 0 && target !== null) {
      if (method !== 'DELETE') await this.#requiredMembers(target) // it requires none, and would delete the row
      if (this.#isByKey) return // the other members are those of the line with the id
      await this.#knownMembers(target)
      if (method === 'PUT') await this.#neededToCreate(target)
    }
  }

  get #isByKey(): boolean {
    return this.#line.path.includes('={')
  }

  async #redirect(): Promise<void> {
    const { method, success } = this.#line
    const reply = await this.#send(method, this.#path('x'))
    if (!success.includes(String(reply.status))) this.#report(`${reply.status}, not ${success}`)
    if (!reply.headers.has('location')) this.#report('no Location')
    if (!reply.headers.has('deprecation')) this.#report('no Deprecation')
  }

  /** `OPTIONS`, `HEAD`, and 405 for the methods that the table does not list. */
  async #methods(): Promise<void> {
    const { method } = this.#line
    const path = this.#path('x')
    const options = await this.#send('OPTIONS', path)
    const allow = options.headers.get('allow')?.split(', ') ?? []
    if (options.status !== 204) this.#report(`OPTIONS ${options.status}`)
    for (const one of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
      if (!allow.includes(one)) this.#report(`Allow lacks ${one}: ${allow}`)
    }
    const listed = this.#lines.filter((line) => line.path === this.#line.path).map((line) => line.method)
    if (listed[0] !== method) return
    for (const other of methods.filter((one) => !listed.includes(one))) {
      const reply = await this.#send(other, path, other === 'GET' ? {} : { body: {} })
      if (reply.status !== 405 || !reply.headers.has('allow'))
        this.#report(`${other}: ${reply.status}, not 405 with Allow`)
    }
    const unknown = await this.#send('BREW', path)
    if (unknown.status !== 501) this.#report(`BREW: ${unknown.status}, not 501`)
  }

  async #withoutToken(): Promise<void> {
    const { method, withoutToken } = this.#line
    const isList = !this.#line.path.endsWith('}')
    const id = await this.#existingId()
    const reply = await this.#send(method, this.#path(id ?? 'x'), method === 'GET' ? {} : { body: {} })
    if (withoutToken === '401' && reply.status !== 401) this.#report(`${reply.status} without a token, not 401`)
    if (withoutToken === 'answers' && reply.status === 401 && this.#line.path !== '/tokens') {
      this.#report('401 without a token')
    }
    if (withoutToken !== 'no rows') return
    // A key that the viewer can never read is unknown.
    const isUnknownKey = this.#isByKey && reply.status === 400
    const isEmpty = isList ? reply.text === '[]' || reply.status === 404 : reply.status === 404 || isUnknownKey
    if (!isEmpty) this.#report(`${reply.status} without a token, not without rows`)
  }

  async #parameters(): Promise<void> {
    const { parameters, path } = this.#line
    const id = (await this.#existingId()) ?? 'x'
    // A type that does not exist is UNKNOWN too.
    const isTried = (one: string) => one !== 'ticket' && !(one === 'type' && path === '/docs/access')
    for (const name of parameters.filter((one) => /^[a-z][a-zA-Z]*$/.test(one) && isTried(one))) {
      const reply = await this.#asSomebody(
        'GET',
        `${this.#path(id)}?${name}=${this.#valueOf(name)}`,
        (got) => got.status < 300 || got.status === 400,
      )
      if (problemsAt(reply, name).includes('UNKNOWN')) this.#report(`?${name} is unknown`)
    }
    if (path === '/graphql' || path === '/metrics' || path.startsWith('/files')) return
    const unknown = await this.#asSomebody('GET', `${this.#path(id)}?zzz=1`, (got) => got.status === 400)
    const isRefused = unknown.status === 400 || unknown.status === 404 || /^\/(healthz|readyz)$/.test(path)
    if (!isRefused) this.#report(`an unknown parameter is ${unknown.status}`)
  }

  async #successOfRead(): Promise<void> {
    const { path, success } = this.#line
    const id = await this.#existingId()
    if (path.includes('{') && id === null) return
    const target = this.#path(id ?? '') + (path === '/graphql' ? '?query=%7B__typename%7D' : '')
    const { viewer, reply } = await this.#whoSucceeds('GET', target)
    // Rights are explained to administrators who may read the row; a schema may have none.
    if (path.endsWith('/access') && reply.status >= 400) return
    if (!success.includes(String(reply.status))) return this.#report(`${reply.status}, not ${success}: ${reply.text}`)
    const etag = reply.headers.get('etag')
    if (!success.includes('304')) return
    if (etag === null) return this.#report('no ETag, but 304')
    const again = await this.#send('GET', target, { viewer, headers: { 'if-none-match': etag } })
    if (again.status !== 304) this.#report(`${again.status} with the ETag, not 304`)
  }

  /** A path to write to: of a PUT that of a new row. Null: there is no row, or the answers have another form. */
  async #writable(): Promise<string | null> {
    const { method, path } = this.#line
    if (path === '/graphql') return null
    if (!path.includes('{')) return path
    const id = method === 'PUT' ? 'a-new-id' : await this.#existingId()
    return id === null ? null : this.#path(id)
  }

  /** An empty body lacks exactly the marked members; a body with those of one kind lacks none. */
  async #requiredMembers(target: string): Promise<void> {
    const { method, bodies } = this.#line
    const empty = await this.#asSomebody(method, target, (reply) => reply.status === 400, { body: {} })
    const expected = namesMarked(bodies[0]!, '*')
    const missing = missingIn(empty)
    // A PUT may create the row: then a viewer who can read all fields must give those marked (*) too.
    const possible = [...expected, ...(method === 'PUT' ? namesMarked(bodies[0]!, '(*)') : [])]
    if (!expected.every((name) => missing.includes(name)) || !missing.every((name) => possible.includes(name))) {
      this.#report(`{} lacks "${missing}", not "${expected}" (${empty.status})`)
    }
    for (const body of bodies.slice(1)) {
      const given = Object.fromEntries(namesMarked(body, '*').map((name) => [name, 'x']))
      const reply = await this.#send(method, target, { body: given })
      if (missingIn(reply).length > 0) this.#report(`${JSON.stringify(given)} lacks ${missingIn(reply)}`)
    }
  }

  /** The members that only a new row requires: the server asks for them once the others are there. */
  async #neededToCreate(target: string): Promise<void> {
    const needed = namesMarked(this.#line.bodies[0]!, '(*)')
    if (needed.length === 0) return
    const example = await this.#service.exampleBody(`PUT ${this.#line.path}`)
    for (const name of needed) {
      const { [name]: _, ...others } = example
      const reply = await this.#asSomebody('PUT', target, (got) => got.status === 400, { body: others })
      if (!missingIn(reply).includes(name)) this.#report(`a new row does not require ${name}: ${reply.text}`)
    }
  }

  async #knownMembers(target: string): Promise<void> {
    const { method, bodies } = this.#line
    const hasProblems = (reply: Reply) => reply.status === 400
    for (const { name } of bodies.flat()) {
      const reply = await this.#asSomebody(method, target, hasProblems, { body: { [name]: { zzz: 1 } } })
      if (problemsAt(reply, name).includes('UNKNOWN')) this.#report(`${name} is unknown`)
    }
    const unknown = await this.#asSomebody(method, target, hasProblems, { body: { zzz: 1 } })
    if (!problemsAt(unknown, 'zzz').includes('UNKNOWN')) this.#report(`an unknown member is ${unknown.status}`)
  }

  /** A value that the parameter can have. */
  #valueOf(name: string): string {
    if (name === 'fields' && this.#line.path.endsWith('/{id}/changes')) return 'kind'
    if (name === 'sort' || name === 'fields') return 'id'
    if (name === 'groupBy') return ''
    if (name === 'as') return 'nobody'
    if (name === 'action') return 'READ'
    return name === 'resource' ? this.#lines[0]!.path.slice(1) : 'x'
  }

  #path(id: string): string {
    return this.#line.path.replace('{id}', id).replace(/\{\w+\}/, id)
  }

  /** The id of a row of the first collection of the path that some viewer can read. */
  #existingId(): Promise<string | null> {
    this.#id ??= this.#findId()
    return this.#id
  }

  async #findId(): Promise<string | null> {
    const at = this.#line.path.indexOf('/{id}')
    if (at < 0) return null
    // Only the account itself exports what belongs to it.
    if (this.#line.path.endsWith('/export')) {
      return (await this.#send('GET', '/tokens', { viewer: 'ann' })).body[0]?.account ?? null
    }
    const { reply } = await this.#whoSucceeds('GET', this.#line.path.slice(0, at))
    return Array.isArray(reply.body) ? (reply.body[0]?.id ?? null) : null
  }

  #send(method: string, path: string, options: SendOptions = {}): Promise<Reply> {
    return this.#service.send(method, path, options)
  }

  async #whoSucceeds(method: string, path: string): Promise<{ viewer: string; reply: Reply }> {
    let best: { viewer: string; reply: Reply } | null = null
    for (const viewer of this.#service.viewers.keys()) {
      const reply = await this.#send(method, path, { viewer })
      if (best === null || (reply.status < 300 && best.reply.status >= 300)) best = { viewer, reply }
      if (reply.status < 300 && reply.text !== '[]') return { viewer, reply }
    }
    return best!
  }

  /** The first answer that fits, or the last. */
  async #asSomebody(
    method: string,
    path: string,
    fits: (reply: Reply) => boolean,
    options: SendOptions = {},
  ): Promise<Reply> {
    let reply: Reply | null = null
    for (const viewer of this.#service.viewers.keys()) {
      reply = await this.#send(method, path, { ...options, viewer })
      if (fits(reply)) break
    }
    return reply!
  }
}

function namesMarked(body: RestLine['bodies'][number], mark: '*' | '(*)'): string[] {
  return body.filter((member) => member.mark === mark).map(({ name }) => name)
}

interface Problem {
  path: string
  code: string
}

function problemsAt({ body }: Reply, path: string): string[] {
  const problems: Problem[] = body?.errors ?? []
  return problems.filter((one) => one.path === path).map(({ code }) => code)
}

function missingIn({ body }: Reply): string[] {
  const problems: Problem[] = body?.errors ?? []
  return problems.filter(({ code }) => code === 'REQUIRED').map(({ path }) => path)
}
