import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { accessMatrix } from '#plan'
import { accessReport } from './access-report.ts'
import { createPaint } from './paint.ts'

test('a long condition pushes only its own line aside', () => {
  const sdl = `type User @account @allow(to: [READ]) { id: ID! email: String! @unique }
    type Post
      @allow(who: "author", to: [READ])
      @allow(to: [READ], where: {title: {in: ["${'long '.repeat(20)}"]}}) { id: ID! title: String! author: User! }`
  const text = print(sdl)
  assert.match(text, /^ {4}signedIn {2,}where author {2,60} a:3$/m)
  assert.match(text, /"long .*" {2}a:4$/m)
})

test('it is coloured where someone looks', () => {
  const sdl = 'type A { id: ID! }'
  assert.ok(print(sdl, true).includes('\x1b[32malways'))
  assert.ok(!print(sdl).includes('\x1b'))
  assert.match(print(sdl), /always {2}nothing is said, and nobody can sign in/)
})

function print(sdl: string, colour = false): string {
  return accessReport(accessMatrix(loadModel(sdl, 'a')), 'a', createPaint(colour))
}
