// docs/reference/graphql.md, executed: each operation of the page is sent to the blog with its seed, with the variables below it.
// It is answered without errors, or with the answer that the page shows. Subscriptions are validated and checked against the limits.
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { buildSchema, type DocumentNode, Kind, type OperationDefinitionNode, parse, validate } from 'graphql'
import { bodyText, isStream, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { command } from '../../packages/twain/src/cli/command.fixture.ts'
import { seed } from '../../packages/twain/src/cli/run-seed.ts'
import { fits } from '../../packages/twain/src/cli/testing/stories.ts'
import { printSchema } from '../../packages/twain/src/graphql/index.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { makeTestPlace, type TestPlace } from '../../packages/twain/src/store/test-place.fixture.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/graphql.md'), 'utf8')
const example = join(import.meta.dirname, '../../examples/blog')

interface Shown {
  chapter: string
  line: number
  text: string
  document: DocumentNode
  variables: Record<string, unknown>
  /** JSON; empty where only success is promised. */
  answer: string
}

interface Answer {
  data?: unknown
  errors?: unknown
}

const examples = examplesOf(page)
/** A webhook would receive the writes of the other examples. */
const last = 'Webhooks'

describe('docs/reference/graphql.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-graphql-docs-'))
  let place: TestPlace
  let service: Service
  const tokens = { amara: '', operator: '' }
  /** Values of earlier answers by their names: `…` stands for them. */
  const known = new Map<string, string>()

  before(async () => {
    place = await makeTestPlace(join(folder, 'data'))
    const schemaFile = join(example, 'schema.graphql')
    service = await openService({ schemaFile, ...place.place, limits: defaultLimits, log: silent, slowQueryMs: 0.0001 })
    await seed(join(example, 'seed.ts'), service)
    tokens.operator = (await command('token', '--role', 'admin', ...place.flags)).out.trim()
    const input = { email: 'amara_okafor@harbour.example', password: 'fair winds' }
    const query = 'mutation ($input: CreateTokenInput!) { createToken(input: $input) { token } }'
    const signed = (await send('', { query, variables: { input } })) as { data: { createToken: { token: string } } }
    tokens.amara = signed.data.createToken.token
  })
  after(async () => {
    await service.close()
    await place.drop()
    rmSync(folder, { recursive: true })
  })

  test('shows requests in nearly every chapter, and variables and answers beside them', () => {
    assert.ok(examples.length >= 17, `${examples.length}`)
    assert.equal(examples.filter(({ answer }) => answer !== '').length, 6)
    assert.equal(examples.filter(({ variables }) => Object.keys(variables).length > 0).length, 6)
    assert.ok(examples.some(({ chapter }) => chapter === last))
  })

  test('all that is shown is valid for the schema of the blog', () => {
    const schema = buildSchema(printSchema(service.model))
    for (const { line, document } of examples) {
      assert.deepEqual(validate(schema, document).map(String), [], `line ${line}`)
    }
  })

  const inTurn = [
    ...examples.filter(({ chapter }) => chapter !== last),
    ...examples.filter(({ chapter }) => chapter === last),
  ]
  for (const { chapter, line, text, document, variables, answer } of inTurn) {
    test(`${chapter}, line ${line}`, async () => {
      const isOfOperator =
        chapter === last || /\b(rowAccess|accessMatrix|servedSchema|schemaChanges|service[A-Z]\w+)\b/.test(text)
      const token = isOfOperator ? tokens.operator : tokens.amara
      for (const operation of operationsOf(document)) {
        const operationName = operation.name?.value ?? null
        const request = { query: text, operationName, variables: filled(variables) }
        const result = takesFile(operation)
          ? await sendFile(token, request)
          : operation.operation === 'subscription'
            ? await subscribe(token, request)
            : await send(token, request)
        if (answer === '') assert.equal(result.errors, undefined, `${JSON.stringify(result)}\n${text}`)
        else assert.ok(fits(result, answer), `${JSON.stringify(result, null, 2)}\nis not\n${answer}`)
        for (const [key, value] of Object.entries(result.data ?? {}))
          assert.notDeepEqual(value, [], `${key} finds nothing`)
        remember(result.data)
      }
    })
  }

  async function send(token: string, request: object): Promise<Answer> {
    const reply = await service.handle(post(token, 'application/json', JSON.stringify(request)))
    return JSON.parse(await bodyText(reply)) as Answer
  }

  async function sendFile(token: string, request: { variables: object }): Promise<Answer> {
    const form = new FormData()
    form.set('operations', JSON.stringify({ ...request, variables: { ...request.variables, file: null } }))
    form.set('map', '{"0": ["variables.file"]}')
    form.set('0', new Blob(['a sky'], { type: 'text/plain' }), 'sky.txt')
    const sent = new Response(form)
    const type = sent.headers.get('content-type')!
    const reply = await service.handle(post(token, type, new Uint8Array(await sent.arrayBuffer())))
    return JSON.parse(await bodyText(reply)) as Answer
  }

  /** A subscription that starts is valid and within the limits; one that does not is reported as any other request. */
  async function subscribe(token: string, request: object): Promise<Answer> {
    const accept = 'text/event-stream'
    const { body, ...reply } = await service.handle(post(token, 'application/json', JSON.stringify(request), accept))
    if (!isStream(body)) return JSON.parse(await bodyText({ body, ...reply })) as Answer
    await body[Symbol.asyncIterator]().return?.()
    return {}
  }

  function post(token: string, type: string, body: string | Uint8Array, accept = 'application/json') {
    const authorization = token === '' ? {} : { authorization: `Bearer ${token}` }
    const headers = { host: 'localhost', accept, 'content-type': type, ...authorization }
    return plainRequest('POST', '/graphql', { headers, body })
  }

  /** A value of this name, or an id. */
  function filled(variables: Record<string, unknown>): object {
    const text = JSON.stringify(variables)
    return JSON.parse(text, (name, value) => (value === '…' ? (known.get(name) ?? known.get('id')) : value)) as object
  }

  function remember(data: unknown): void {
    JSON.stringify(data, (name, value) => {
      if (typeof value === 'string') known.set(name, value)
      return value
    })
  }
})

function examplesOf(text: string): Shown[] {
  const found: Shown[] = []
  let chapter = ''
  for (const match of text.matchAll(/^## (.*)$|^```(graphql|json)\n([\s\S]*?)^```$/gm)) {
    const [, title, language, block = ''] = match
    const shown = found.at(-1)
    if (title !== undefined) chapter = title
    else if (language === 'graphql') {
      const line = text.slice(0, match.index).split('\n').length
      found.push({ chapter, line, text: block, document: parse(block), variables: {}, answer: '' })
    } else if (/^\{\s*"(data|errors)"/.test(block)) shown!.answer = block
    else shown!.variables = JSON.parse(block) as Record<string, unknown>
  }
  return found
}

function operationsOf({ definitions }: DocumentNode): OperationDefinitionNode[] {
  return definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION)
}

function takesFile({ variableDefinitions = [] }: OperationDefinitionNode): boolean {
  return variableDefinitions.some(({ variable }) => variable.name.value === 'file')
}
