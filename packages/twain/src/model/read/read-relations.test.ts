import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'
import type { Field } from '../model.ts'

function fieldOf(sdl: string, path: string): Field {
  const [type, name] = path.split('.')
  const { resources } = loadModel(sdl, 'test.graphql')
  return resources.find((resource) => resource.name === type)!.fields.get(name!)!
}

/** `many Post.author`, `links User.posts/Post.authors left`, `inverse Profile.user`. */
function meaning(sdl: string, path: string): string {
  const field = fieldOf(sdl, path)
  if (field.kind === 'many' || field.kind === 'inverse')
    return `${field.kind} ${field.via.owner.name}.${field.via.name}`
  if (field.kind !== 'links') return field.kind
  const { left, right } = field.link
  const side = right ? `${right.owner.name}.${right.name}` : 'nothing'
  return `links ${left.owner.name}.${left.name}/${side} ${field.side}`
}

const readings: [title: string, sdl: string, meanings: Record<string, string>][] = [
  [
    'a list is the other side of the one reference back',
    'type User { id: ID! posts: [Post!]! } type Post { id: ID! author: User! }',
    { 'User.posts': 'many Post.author', 'Post.author': 'reference' },
  ],
  [
    'two lists of each other are one many-to-many relation',
    'type Post { id: ID! tags: [Tag!]! } type Tag { id: ID! posts: [Post] }',
    { 'Post.tags': 'links Post.tags/Tag.posts left', 'Tag.posts': 'links Post.tags/Tag.posts right' },
  ],
  [
    'a list with no way back is a relation that one side names',
    'type Post { id: ID! tags: [Tag!]! } type Tag { id: ID! }',
    { 'Post.tags': 'links Post.tags/nothing left' },
  ],
  [
    'a list of its own type stands alone',
    'type User { id: ID! friends: [User!]! }',
    { 'User.friends': 'links User.friends/nothing left' },
  ],
  [
    'a list of its own type is the other side of a reference to its own type',
    'type User { id: ID! boss: User reports: [User!]! }',
    { 'User.reports': 'many User.boss' },
  ],
  [
    'a reference to an interface is a way back to each of its types',
    `interface On { id: ID! comments: [Comment!]! }
     type Post implements On { id: ID! comments: [Comment!]! } type Photo implements On { id: ID! comments: [Comment!]! }
     type Comment { id: ID! on: On! }`,
    { 'Post.comments': 'many Comment.on', 'Photo.comments': 'many Comment.on' },
  ],
  [
    'a list of a union is a relation with the union',
    'type A { id: ID! any: [U!]! } type B { id: ID! a: A } union U = A | B',
    { 'A.any': 'links A.any/nothing left' },
  ],
  [
    '@relation picks one of two references, and the other list takes the one that is left',
    `type User { id: ID! wrote: [Post!]! @relation(inverse: "author") edited: [Post!]! }
     type Post { id: ID! author: User! editor: User }`,
    { 'User.wrote': 'many Post.author', 'User.edited': 'many Post.editor' },
  ],
  [
    '@relation pairs lists, whichever side has it',
    `type User { id: ID! wrote: [Post!]! likes: [Post!]! @relation(inverse: "fans") }
     type Post { id: ID! fans: [User!]! authors: [User!]! }`,
    { 'User.likes': 'links User.likes/Post.fans left', 'Post.authors': 'links User.wrote/Post.authors right' },
  ],
  [
    'a list beside the other side of a reference is a relation of its own',
    `type User { id: ID! posts: [Post!]! @relation(inverse: "author") likes: [Post!]! } type Post { id: ID! author: User! }`,
    { 'User.posts': 'many Post.author', 'User.likes': 'links User.likes/nothing left' },
  ],
  [
    'two lists of their own type are one relation, or stand alone, as @relation declares',
    `type A { id: ID! followers: [A!]! following: [A!]! @relation(inverse: "followers") }
     type B { id: ID! friends: [B!]! blocked: [B!]! @relation(inverse: "blocked") }`,
    {
      'A.followers': 'links A.following/A.followers right',
      'B.friends': 'links B.friends/nothing left',
      'B.blocked': 'links B.blocked/nothing left',
    },
  ],
  [
    'the field without a column of a one-to-one is the other side of the unique reference',
    'type User { id: ID! profile: Profile @relation(inverse: "user") } type Profile { id: ID! user: User! @unique }',
    { 'User.profile': 'inverse Profile.user', 'Profile.user': 'reference' },
  ],
  [
    'two references to each other are just two references',
    'type A { id: ID! b: B } type B { id: ID! a: A }',
    { 'A.b': 'reference', 'B.a': 'reference' },
  ],
]

for (const [title, sdl, meanings] of readings) {
  test(title, () => {
    for (const [path, expected] of Object.entries(meanings)) assert.equal(meaning(sdl, path), expected, path)
  })
}

test('both sides of a relation share one link', () => {
  const tags = fieldOf('type Post { id: ID! tags: [Tag!]! } type Tag { id: ID! posts: [Post!]! }', 'Post.tags')
  assert.ok(tags.kind === 'links' && tags.link.left === tags && tags.link.right?.link === tags.link)
})

test('fields stay in the order of the file', () => {
  const { resources } = loadModel('type A { id: ID! bs: [B!]! x: Int b: B } type B { id: ID! a: A }', 'test.graphql')
  assert.deepEqual([...resources[0]!.fields.keys()], ['id', 'bs', 'x', 'b'])
})

test('on delete a required reference restricts and an optional one becomes null, unless the file declares otherwise', () => {
  const sdl = 'type A { id: ID! r: B! o: B c: B! @relation(onDelete: CASCADE) } type B { id: ID! }'
  const rules = ['A.r', 'A.o', 'A.c']
    .map((path) => fieldOf(sdl, path))
    .map((field) => 'onDelete' in field && field.onDelete)
  assert.deepEqual(rules, ['RESTRICT', 'SET_NULL', 'CASCADE'])
})

const mistakes: Record<string, MistakeCase> = {
  'a list with two references back': [
    'type User { id: ID! ‹posts: [Post!]! } type Post { id: ID! author: User! editor: User }',
    'Post.author or Post.editor. = Choose one: posts: [Post!]! @relation(inverse: "author")',
  ],
  'a list with a reference and a list back': [
    'type User { id: ID! ‹teams: [Team!]! } type Team { id: ID! owner: User! members: [User!]! }',
    'Team.owner or Team.members',
  ],
  'a list whose other side has the choice, when it comes first': [
    'type Book { id: ID! tags: [Tag!]! about: Subject } type Tag { id: ID! ‹books: [Book!]! } type Film { id: ID! } union Subject = Film | Tag',
    'Book.about or Book.tags',
  ],
  'two lists for one reference': [
    'type User { id: ID! posts: [Post!]! ‹likes: [Post!]! } type Post { id: ID! author: User! }',
    'both be the other side of Post.author',
  ],
  'two lists of their own type': ['type A { id: ID! followers: [A!]! ‹following: [A!]! }', 'two sides of one relation'],
  'an inverse that is not there': [
    'type User { id: ID! posts: [Post!]! @relation(inverse: ‹"auhtor") } type Post { id: ID! author: User! }',
    '"author"',
  ],
  'an inverse that leads elsewhere': [
    'type User { id: ID! posts: [Post!]! @relation(inverse: ‹"tag") } type Post { id: ID! tag: Tag } type Tag { id: ID! }',
    'does not refer back to User',
  ],
  'an inverse that stands at the reference, and not at its list': [
    'type Person { id: ID! manager: Person @relation(inverse: ‹"reports") reports: [Person!]! }',
    'does not refer back to Person, so it can\'t be the inverse of Person.manager. = Write it there: reports: [Person!]! @relation(inverse: "manager").',
  ],
  'an inverse that is a stored field': [
    'type User { id: ID! posts: [Post!]! @relation(inverse: ‹"title") } type Post { id: ID! title: Int }',
    'Add it to Post: user: User!',
  ],
  'an inverse of a union': [
    'type A { id: ID! us: [U!]! @relation(inverse: ‹"a") } union U = A',
    'no one field can be the other side',
  ],
  'a required field without a column': [
    'type User { id: ID! profile: ‹Profile! @relation(inverse: "user") } type Profile { id: ID! user: User! @unique }',
    "can't be required",
  ],
  'the other side of a reference that is not unique, as a single row': [
    'type User { id: ID! profile: Profile @relation(inverse: ‹"user") } type Profile { id: ID! user: User! }',
    'Write @unique on Profile.user',
  ],
  'an inverse on the side that has the column': [
    'type A { id: ID! b: B @unique @relation(inverse: ‹"a") } type B { id: ID! a: A @relation(inverse: "b") }',
    'has the column',
  ],
  'inverses that disagree': [
    `type A { id: ID! bs: [B!]! @relation(inverse: "as") } type B { id: ID! as: [A!]! @relation(inverse: ‹"cs") }`,
    'Write @relation(inverse: "bs")',
  ],
  'SET_NULL on a required reference': [
    'type A { id: ID! b: B! @relation(onDelete: ‹SET_NULL) } type B { id: ID! }',
    "can't become null",
  ],
  'onDelete on the other side of a reference': [
    'type A { id: ID! bs: [B!]! @relation(onDelete: ‹CASCADE) } type B { id: ID! a: A! }',
    'Write it on B.a',
  ],
  'onDelete on a many-to-many relation': [
    'type A { id: ID! bs: [B!]! @relation(onDelete: ‹CASCADE) } type B { id: ID! }',
    'drops its links',
  ],
  'onDelete on the field without a column': [
    'type A { id: ID! b: B @relation(inverse: "a", onDelete: ‹CASCADE) } type B { id: ID! a: A @unique }',
    'has the column',
  ],
  'a list of lists of resources': ['type A { id: ID! bs: ‹[[B!]!]! } type B { id: ID! }', 'Write: [B!]!'],
}

for (const [title, mistake] of Object.entries(mistakes)) test(`${title} is a mistake`, () => expectMistakes(mistake))
