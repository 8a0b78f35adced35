import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel, type Resource, type Rule } from '#model'
import { describeGrant, describeRule } from './describe-rule.ts'

const cases: [line: string, rule: string, grant: string][] = [
  ['@allow', '@allow', 'always'],
  ['@allow(who: "signedIn", to: [READ])', '@allow(who: "signedIn", to: [READ])', 'always'],
  ['@allow(role: "editor")', '@allow(role: "editor")', 'always'],
  ['@allow(who: "author")', '@allow(who: "author")', 'where author'],
  [
    '@allow(who: "author", where: {status: {in: [DRAFT, PUBLISHED]}})',
    '@allow(who: "author") where status in DRAFT, PUBLISHED',
    'where author and status in DRAFT, PUBLISHED',
  ],
  [
    '@allow(where: {author: {isViewer: true, name: {startsWith: "A b"}}})',
    '@allow where author is the viewer and author.name starts with "A b"',
    'where author is the viewer and author.name starts with "A b"',
  ],
  [
    '@allow(where: {or: [{stars: {gte: 3}}, {not: {author: {isNull: true}}}]})',
    '@allow where (stars ≥ 3 or not (author is null))',
    'where (stars ≥ 3 or not (author is null))',
  ],
  [
    '@allow(where: {author: {posts: {some: {status: {eq: DRAFT}}}}})',
    '@allow where some of author.posts with (status = DRAFT)',
    'where some of author.posts with (status = DRAFT)',
  ],
  [
    '@allow(who: "author", to: [UPDATE], fields: ["stars", "status"])',
    '@allow(who: "author", to: [UPDATE], fields: ["stars", "status"])',
    'stars, status where author',
  ],
  ['@allow(to: [READ], fields: ["stars"])', '@allow(to: [READ], fields: ["stars"])', 'stars'],
]

for (const [directive, rule, grant] of cases) {
  test(`${directive} in words`, () => {
    const read = ruleOf(directive)
    assert.equal(describeRule(read), rule)
    assert.equal(describeGrant(read), grant)
  })
}

function ruleOf(directive: string): Rule {
  const sdl = `type User @account { id: ID! email: String! @unique name: String posts: [Post!]! }
    type Post ${directive} { id: ID! status: Status! stars: Int author: User }
    enum Status { DRAFT PUBLISHED }`
  return (loadModel(sdl, 'a.graphql').types.get('Post') as Resource).rules[0]!
}
