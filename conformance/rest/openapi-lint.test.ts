// The OpenAPI document of every schema in the repository passes two independent linters without an error or a warning.
// stores: none
// all samples: none

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import * as spectralCore from '@stoplight/spectral-core'
import * as spectralRulesets from '@stoplight/spectral-rulesets'
import { loadModel } from '../../packages/twain/src/model/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { loadOpenapiText, openapiProfiles } from '../../packages/twain/src/rest/index.ts'
import { samples } from '../generate/samples.ts'

const root = join(import.meta.dirname, '../..')
const examples = ['examples/blog/schema.graphql', 'examples/hello/schema.graphql']
const schemas = readdirSync(join(import.meta.dirname, '../schemas')).map((name) => `conformance/schemas/${name}`)
const size = (file: string) => statSync(join(root, file)).size
const bySize = schemas.toSorted((one, other) => size(other) - size(one))
const forRedocly = new Set(
  samples([...examples, ...bySize.slice(0, 2), 'odd.graphql'], [...examples, ...schemas, 'odd.graphql']),
)
// Spectral is much slower than Redocly.
const forSpectral = new Set(samples(examples, [...examples, ...bySize.slice(0, 3)]))

// A schema file names neither a contact nor a licence, so the document has none. An alias path only redirects: Spectral checks that
// every operation can succeed, and counts 3xx too.
const rules = { 'info-license': 'off', 'operation-2xx-response': 'off' } as const
const redocly = {
  full: await createConfig({ extends: ['recommended'], rules }),
  // All failures of an operation are its `default` response.
  clients: await createConfig({ extends: ['recommended'], rules: { ...rules, 'operation-4xx-response': 'off' } }),
}
const spectral = new spectralCore.Spectral()
// Redocly validates every example; Spectral would compile the schema for each reference to it.
const ruleset = {
  extends: [[spectralRulesets.oas, 'recommended']],
  rules: { 'info-contact': 'off', 'oas3-valid-media-example': 'off' },
}
spectral.setRuleset(ruleset as unknown as spectralCore.RulesetDefinition) // the two packages disagree about their own types

/** Unusual combinations of types. */
const odd = `
  interface Named { id: ID! name: String! }
  interface Living implements Named { id: ID! name: String! friend: Named home: Place }
  type Dog implements Living & Named {
    id: ID! name: String! @search friend: Named home: Place grid: [[Int!]] shapes: [[Place!]!] order: Order best: Pet
    mother: Dog pups: [Dog!]! @relation(inverse: "mother") bark(times: Int! = 2, how: How, pick: Pick): String! @computed
    kin: [Dog!]! @computed old: Colour @deprecated(reason: "Use \`name\` \\"now\\" 😀")
  }
  type Cat implements Living & Named { id: ID! name: String! friend: Named home: Place enemies: [Pet!]! follows: [Named!]! }
  type Rock implements Named { id: ID! name: String! photo: File photos: [File!]! }
  union Pet = Dog | Cat
  type Place { city: String! words: [[String]] inner: [Place!] }
  type Order { id: ID! select: String where: String limit: Int sort: String fields: String first: Int at: DateTime json: JSON
    lines: [Line!]! dogs: [Dog!]! own: Mark }
  type Line { id: ID! order: Order! sku: String! }
  scalar Mark @specifiedBy(url: "https://marks.example")
  enum Colour { RED @deprecated(reason: "Too loud.") GREEN }
  input How { word: String! = "woof" deep: [How!] }
  input Pick @oneOf { byName: String byLegs: Int }
  type Query { shout(text: String! = "hey", how: How, pick: Pick, ids: [ID!]): String any: JSON named(ids: [ID!]!): [Dog!]! one: Rock }
  type Mutation { bump(id: ID!, by: Int = 1): Order! attach(file: Upload!, more: [Upload!]): JSON }
`

const sources: [file: string, sdl: string][] = [
  ...[...examples, ...schemas].map((file): [string, string] => [file, readFileSync(join(root, file), 'utf8')]),
  ['odd.graphql', odd],
]

const documents = sources.flatMap(([file, sdl]) => openapiProfiles.map((profile) => ({ file, sdl, profile })))

for (const { file, sdl, profile } of documents) {
  if (!forRedocly.has(file)) continue
  const text = await loadOpenapiText(loadModel(sdl, file), defaultLimits, profile)

  test(`${file}, ${profile}: Redocly finds nothing`, async () => {
    const found = await lintFromString({ source: text, absoluteRef: `${file}.json`, config: redocly[profile] })
    assert.deepEqual(
      found.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`).slice(0, 12),
      [],
    )
  })

  if (!forSpectral.has(file)) continue
  test(`${file}, ${profile}: Spectral finds nothing`, async () => {
    const found = await spectral.run(text)
    assert.deepEqual(found.map(({ code, message, path }) => `${code} ${path.join('/')} ${message}`).slice(0, 12), [])
  })
}
