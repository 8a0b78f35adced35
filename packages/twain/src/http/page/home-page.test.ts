import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { plainRequest } from '#base/http'
import { loadModel } from '#model'
import { favicon, homePage } from './home-page.ts'

const shop = loadModel('extend schema @service(name: "Shop <b>") type Item { id: ID! }', 'shop.graphql')

const club = loadModel(
  `type Member @account @allow(to: [CREATE]) { id: ID! name: String! email: String! @unique since: Date }
  "Meetings of \`members\`. <i>\\n\\nSecond paragraph."
  type Meeting implements Dated @allow { id: ID! on: Date! }
  interface Dated { id: ID! on: Date! }
  extend type Query { nextMeeting: Meeting }
  extend type Mutation { invite(email: String!, meeting: ID!): Boolean! @resource(path: "invitations") }`,
  'club.graphql',
)

test('clients that do not accept HTML get a directory of paths as JSON', () => {
  const reply = open(shop, '*/*')
  assert.equal(reply.headers['content-type'], 'application/json')
  assert.equal(reply.headers.vary, 'accept')
  assert.deepEqual(JSON.parse(reply.body), {
    name: 'Shop <b>',
    description: null,
    graphql: '/graphql',
    docs: '/docs',
    openapi: '/openapi.json',
    rest: { Item: '/items' },
  })
})

test('the directory names custom operations with their method and path', () => {
  assert.deepEqual(JSON.parse(open(club, '*/*').body).operations, {
    'Query.nextMeeting': 'GET /next-meeting',
    'Mutation.invite': 'POST /invitations',
  })
})

test('docs/reference/http.md shows the directory of examples/chat', () => {
  const read = (path: string) => readFileSync(new URL(`../../../../../${path}`, import.meta.url), 'utf8')
  const model = loadModel(read('examples/chat/schema.graphql'), 'examples/chat/schema.graphql')
  const [, shown] = /^## The home page[\s\S]*?```json\n([\s\S]*?)```/m.exec(read('docs/reference/http.md'))!
  assert.deepEqual(JSON.parse(open(model, '*/*').body), JSON.parse(shown!))
})

test('a browser gets a page with links to the query page, the REST reference and the resources', () => {
  const { body, headers } = open(club)
  assert.match(String(headers['content-type']), /^text\/html/)
  for (const path of ['/console', '/console/query', '/docs', '/openapi.json', '/members', '/meetings', '/dateds']) {
    assert.ok(body.includes(`href="${path}"`), path)
  }
  assert.match(body, /Meetings of <code>members<\/code>\. &lt;i&gt;<\/span>/)
  assert.doesNotMatch(body, /Second paragraph/)
})

test('custom operations are shown as REST and GraphQL have them', () => {
  const { body } = open(club)
  for (const text of [
    'GET /next-meeting',
    'query nextMeeting',
    'POST /invitations',
    'mutation invite(email, meeting)',
  ]) {
    assert.ok(body.includes(`<code>${text}</code>`), text)
  }
  assert.doesNotMatch(open(shop).body, /Custom operations/)
})

test('only the page of a service with accounts shows how to sign up and in', () => {
  const text = plain(open(club).body)
  assert.ok(text.includes(`curl http://127.0.0.1:4000/members --json '{"name": "…", "email": "…", "password": "…"}'`))
  assert.ok(text.includes(`curl http://127.0.0.1:4000/tokens --json '{"email": "…", "password": "…"}'`))
  assert.ok(text.includes('mutation { createToken(input: {email: "…", password: "…"})'))
  assert.doesNotMatch(open(shop).body, /Sign in|tokens/)
})

test('without public sign-up the page shows only how to sign in', () => {
  const staff = loadModel('type Clerk @account { id: ID! email: String! @unique }', 'staff.graphql')
  const { body } = open(staff)
  assert.match(body, /\/tokens/)
  assert.doesNotMatch(body, /Create an account/)
})

test('without the console the page links a query instead', () => {
  assert.match(open(shop, 'text/html', false).body, /href="\/graphql\?query=%7B%20items/)
  assert.doesNotMatch(open(shop, 'text/html', false).body, /console/)
})

test('the page runs no script, and its policy allows its one style sheet by hash', () => {
  const { body, headers } = open(club)
  const [, style] = /<style>([\s\S]*?)<\/style>/.exec(body)!
  const hash = createHash('sha256').update(style!).digest('base64')
  assert.equal(
    headers['content-security-policy'],
    `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  assert.doesNotMatch(body, /<script|style=|https?:\/\/(?!127\.0\.0\.1:4000)/)
})

test('names are encoded, and Host is never repeated', () => {
  assert.match(open(shop).body, /<h1>Shop &lt;b&gt;<\/h1>/)
  for (const host of ['"><script>', 'evil.example']) {
    const request = plainRequest('GET', '/', { headers: { accept: 'text/html', host } })
    assert.doesNotMatch(String(homePage(request, shop, { hasConsole: true, isTrustedOnly: false }).body), /script|evil/)
  }
})

test('the commands call the public origin, or else the address that got the request', () => {
  const request = plainRequest('GET', '/', { headers: { accept: 'text/html' } })
  const local = { ...request, origin: null, localOrigin: 'http://10.0.0.7:4000' }
  assert.match(
    String(homePage(local, shop, { hasConsole: true, isTrustedOnly: false }).body),
    /curl http:\/\/10\.0\.0\.7:4000\/graphql/,
  )
  const known = { ...local, origin: 'https://api.example.org' }
  assert.match(
    String(homePage(known, shop, { hasConsole: true, isTrustedOnly: false }).body),
    /curl https:\/\/api\.example\.org\/graphql/,
  )
})

test('the icon is an SVG that browsers may cache', () => {
  const reply = favicon(plainRequest('GET', '/favicon.svg', { headers: {} }))
  assert.equal(reply.headers['content-type'], 'image/svg+xml')
  assert.match(String(reply.body), /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
  const again = plainRequest('GET', '/favicon.ico', { headers: { 'if-none-match': String(reply.headers.etag) } })
  assert.equal(favicon(again).status, 304)
})

function open(model: typeof shop, accept = 'text/html,*/*;q=0.8', hasConsole = true) {
  const request = plainRequest('GET', '/', { headers: { accept, host: '127.0.0.1:4000' } })
  const { headers, body } = homePage(request, model, { hasConsole, isTrustedOnly: false })
  return { headers, body: String(body) }
}

function plain(html: string): string {
  return html.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
}
