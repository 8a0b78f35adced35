import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { accessMatrix, callMatrix } from '#plan/explain'
import { accessReport } from './access-report.ts'
import { createPaint } from './paint.ts'

test('a long condition shifts only its own row', () => {
  const sdl = `type User @account @allow(to: [READ]) { id: ID! email: String! @unique }
    type Post
      @allow(who: "author", to: [READ])
      @allow(to: [READ], where: {title: {in: ["${'long '.repeat(20)}"]}}) { id: ID! title: String! author: User! }`
  const text = print(sdl)
  assert.match(text, /^ {4}signedIn {2,}where author {2,60} a:3$/m)
  assert.match(text, /"long .*" {2}a:4$/m)
})

test('many viewers continue in the next row, and the columns stay aligned', () => {
  const roles = ['librarian', 'cataloguer', 'conservator', 'accountant', 'volunteer']
  const lines = roles.map((role) => `@allow(role: "${role}", to: [READ])`).join(' ')
  const text = print(`type User @account { id: ID! email: String! @unique } type Book ${lines} { id: ID! }`)
  const book = text.slice(text.indexOf('Book'))
  assert.match(book, /^ {4}nobody, signedIn, operator {2,}never$/m)
  const closed = text.slice(0, text.indexOf('Book'))
  assert.match(closed, /^ {4}nobody, signedIn, role:librarian, {2,}never {2,}no @allow: only role admin$/m)
  assert.match(closed, /^ {4}role:cataloguer, role:conservator,$/m)
  const columns = text.split('\n').flatMap((line) => {
    const at = line.search(/(?<= {2})(always|never)/)
    return at < 0 ? [] : [at]
  })
  assert.equal(new Set(columns).size, 1)
})

test('a rule for some fields is listed with its fields', () => {
  const text =
    print(`type User @account @allow(to: [READ], fields: ["name"]) { id: ID! email: String! @unique name: String }
    type Repair
      @allow(who: "customer", to: [UPDATE], fields: ["photos", "note"])
      @allow(role: "mechanic") { id: ID! customer: User photos: [String!] note: String price: Int }`)
  assert.match(text, /^ {2}READ\n {4}everyone {2,}name {2,}a:1$/m)
  assert.match(
    text,
    /^ {2}UPDATE\n {4}nobody, operator {2,}never\n {4}signedIn {2,}photos, note where customer {2}a:3$/m,
  )
  assert.match(text, /^ {4}role:mechanic {2,}always {2,}a:4$/m)
})

test('custom operations are listed with the rule that decides', () => {
  const text = print(`type User @account @allow { id: ID! email: String! @unique }
    extend type Query { top: Int @allow }
    extend type Mutation {
      ship: Int @allow(who: "signedIn") @allow(role: "robot")
      purge: Int
    }`)
  assert.match(text, /^Query\.top {2}a:2\n {2}CALL\n {4}everyone {2,}always {2}a:2$/m)
  assert.match(
    text,
    /^Mutation\.ship {2}a:4\n {2}CALL\n {4}nobody, operator {2,}never\n {4}signedIn, role:robot {2,}always {2}a:4$/m,
  )
  assert.match(
    text,
    /^Mutation\.purge {2}a:5\n {2}CALL\n {4}nobody, signedIn, role:robot {2,}never {3}no @allow: only role admin$/m,
  )
})

test('the report has colours on a terminal', () => {
  const sdl = 'type A { id: ID! }'
  assert.ok(print(sdl, true).includes('\x1b[32malways'))
  assert.ok(!print(sdl).includes('\x1b'))
  assert.match(print(sdl), /always {2}the schema has no rules for it and no account type/)
})

function print(sdl: string, colour = false): string {
  const model = loadModel(sdl, 'a')
  return accessReport([...accessMatrix(model), ...callMatrix(model)], createPaint(colour))
}
