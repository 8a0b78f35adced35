import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCpuTimer } from '../cpu-time.fixture.ts'
import { didYouMean, nearest } from './suggest.ts'

test('a word with a typo finds the word that was meant', () => {
  const words = ['title', 'author', 'createdAt']

  assert.deepEqual(nearest('titel', words), ['title'])
  assert.deepEqual(nearest('auhtor', words), ['author'])
  assert.deepEqual(nearest('createdat', words), ['createdAt'])
})

test('two swapped letters count as one typo, so that a short word is found too', () => {
  assert.deepEqual(nearest('di', ['id', 'name']), ['id'])
})

test('without a similar word there is no suggestion', () => {
  assert.equal(didYouMean('publisher', ['id', 'title']), '')
  assert.equal(didYouMean('title', []), '')
})

test('words that are equally similar are all suggested, at most three', () => {
  assert.equal(didYouMean('nam', ['name', 'nami', 'nama', 'namo']), ' Did you mean "nama" or "name" or "nami"?')
})

test('only the most similar words are suggested', () => {
  assert.equal(didYouMean('comment', ['comments', 'contents']), ' Did you mean "comments"?')
})

test('a typo at the end of a long word is found, and a word unlike all others costs little', () => {
  const words = Array.from({ length: 1500 }, (_, at) => `anUnlikelyButLegalNameOfAField${at}`)
  assert.deepEqual(nearest('anUnlikelyButLegalNameOfAFeild7', words), ['anUnlikelyButLegalNameOfAField7'])
  const cost = startCpuTimer()
  for (let at = 0; at < 5; at++) nearest('qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq', words)
  assert.ok(cost() < 1000)
})

test('a very long word is not compared', () => {
  assert.deepEqual(nearest('x'.repeat(100_000), ['x'.repeat(100_000 - 1), 'title']), [])
})
