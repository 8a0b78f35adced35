import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Abstract, Resource } from '#model'
import { defaultLimits, type Selection, type TypeSelection, type ValueSelection } from '#plan'
import { PlanBuilder } from '#plan/build'
import { blog, resource } from '../blog.fixture.ts'
import { selectTypes } from './fields.ts'

test('R11: the selection has exactly the chosen fields, in the order in which they first appear', () => {
  assert.deepEqual(chosen('Post', 'title,author.name,id,author.email,_version'), {
    Post: { title: 'field', author: { User: { name: 'field', email: 'field' } }, id: 'field', _version: 'version' },
  })
})

test('R11: * stands for the default representation, on each level, and paths below a reference win over its id', () => {
  const whole = chosen('Post', undefined).Post as Record<string, unknown>
  assert.deepEqual(chosen('Post', '*'), { Post: whole })
  assert.deepEqual(Object.keys(chosen('Post', 'title,*').Post as object)[0], 'title')
  assert.deepEqual(chosen('Post', '*,author.name'), { Post: { ...whole, author: { User: { name: 'field' } } } })
  assert.deepEqual(chosen('Post', 'author.*').Post, { author: { User: chosen('User', undefined).User } })
  assert.deepEqual(chosen('Post', '*,comments.*,_version').Post, {
    ...whole,
    comments: 'many',
    _version: 'version',
  })
  assert.deepEqual(chosen('User', 'address.*'), chosen('User', 'address'))
  assert.deepEqual(chosen('Found', '*'), chosen('Found', undefined))
  const { Post, User } = chosen('Found', 'id,:Post.*') as Record<string, object>
  assert.deepEqual(Object.keys(User!).includes('email'), false)
  assert.ok(Object.keys(Post!).includes('title'))
})

test('R11: * is the end of a path', () => {
  for (const fields of ['*.id', 'author.*.id', '*()', '**', 'author:*']) {
    const builder = new PlanBuilder()
    selectTypes(resource('Post'), fields, builder)
    assert.equal(builder.problems.length, 1, fields)
  }
})

test('R12: a reference without inner fields is its id, on both sides of a one-to-one', () => {
  assert.deepEqual(chosen('Post', 'author'), { Post: { author: 'id' } })
  assert.deepEqual(chosen('User', 'profile'), { User: { profile: 'id' } })
})

test('R13: a value without inner fields is complete, with inner fields it is partial', () => {
  assert.deepEqual(chosen('User', 'address.country,address.city'), {
    User: { address: { country: { code: 'leaf', name: 'leaf' }, city: 'leaf' } },
  })
  assert.deepEqual(chosen('User', 'address.former.city'), { User: { address: { former: { city: 'leaf' } } } })
})

test('R14: a list has its first 20 rows by id, and the parameters of its page precede those of its rows', () => {
  const builder = new PlanBuilder()
  const [row] = selectTypes(resource('Post'), 'comments.post.tags.name,comments.body', builder)
  const [comments] = row!.selections
  assert.equal(comments?.kind, 'many')
  assert.deepEqual(builder.values(), [20, 0, 20, 0])
  assert.deepEqual(comments.read.page, {
    kind: 'offset',
    limit: { index: 0, accepts: { kind: 'size' } },
    offset: { index: 1, accepts: { kind: 'offset' } },
  })
  assert.deepEqual(builder.places, [
    'fields.comments',
    'fields.comments',
    'fields.comments.post.tags',
    'fields.comments.post.tags',
  ])
})

test('R10, R15: rows of a union have their type, under a key that no member uses', () => {
  assert.deepEqual(chosen('Found', undefined).Post, {
    type: 'constant',
    ...(chosen('Post', undefined).Post as object),
  })
  assert.deepEqual(chosen('Found', 'id,type'), {
    Post: { id: 'field', type: 'constant' },
    User: { id: 'field', type: 'constant' },
  })
  assert.deepEqual(Object.keys(chosen('Labelled', undefined).Tag as object)[0], '_type')
  assert.deepEqual(chosen('Comment', 'about.type,about.id'), {
    Comment: { about: { Post: { type: 'constant', id: 'field' }, User: { type: 'constant', id: 'field' } } },
  })
})

test('R16: every invalid choice is reported once, with its path', () => {
  for (const [fields, ...problems] of [
    ['titel,author.nme', 'fields.titel "title"', 'fields.author.nme "name"'],
    ['title.x', 'fields.title.x'],
    ['comments', 'fields.comments'],
    ['author,author.name', 'fields.author'],
    ['', 'fields'],
    ['id,', 'fields'],
    ['__proto__', 'fields.__proto__'],
    ['_version.x', 'fields._version.x'],
    ['author.address.cty', 'fields.author.address.cty "city"'],
    [Array(40).fill('author').join('.'), 'fields'],
  ] as const) {
    const builder = new PlanBuilder()
    selectTypes(resource('Post'), fields, builder)
    const found = builder.problems.map(({ path, message }) =>
      `${path} ${/Did you mean (.*)\?/.exec(message)?.[1] ?? ''}`.trim(),
    )
    assert.deepEqual(found, problems, fields)
  }
  const builder = new PlanBuilder()
  selectTypes(type('Found'), 'title', builder)
  assert.deepEqual(
    builder.problems.map(({ path }) => path),
    ['fields.title'],
  )
})

function type(name: string): Resource | Abstract {
  const found = blog.types.get(name)
  if (found?.kind !== 'resource' && found?.kind !== 'abstract') throw new Error(`${name} has no rows`)
  return found
}

function chosen(name: string, fields: string | undefined): Record<string, unknown> {
  const builder = new PlanBuilder()
  const cases = selectTypes(type(name), fields, builder)
  builder.finish(defaultLimits)
  return outline(cases)
}

function outline(cases: TypeSelection[]): Record<string, unknown> {
  return Object.fromEntries(
    cases.map(({ of, selections }) => [of.name, Object.fromEntries(selections.map((one) => [one.key, part(one)]))]),
  )
}

function part(selection: Selection): unknown {
  if (selection.kind === 'one') return outline(selection.types)
  return selection.kind === 'value' ? inside(selection.selections) : selection.kind
}

function inside(selections: ValueSelection[] | null): unknown {
  if (selections === null) return 'leaf'
  return Object.fromEntries(
    selections.map((selection) => [
      selection.key,
      selection.kind === 'field' ? inside(selection.selections) : 'constant',
    ]),
  )
}
