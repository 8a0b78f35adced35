// The OpenAPI document of every contract that we have, held against two independent linters: no error, no warning.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import * as spectralCore from '@stoplight/spectral-core'
import * as spectralRulesets from '@stoplight/spectral-rulesets'
import { loadModel } from '../packages/twain/src/model/index.ts'
import { defaultLimits } from '../packages/twain/src/plan/index.ts'
import { openapiText } from '../packages/twain/src/rest/index.ts'

const root = join(import.meta.dirname, '..')
const examples = ['examples/blog/schema.graphql', 'examples/hello/schema.graphql']
const schemas = readdirSync(join(import.meta.dirname, 'schemas')).map((name) => `conformance/schemas/${name}`)
const size = (file: string) => statSync(join(root, file)).size
const largest = schemas.toSorted((one, other) => size(other) - size(one)).slice(0, 3)
// Spectral takes seconds for a document that Redocly reads in a blink.
const forSpectral = new Set([...examples, ...largest])

// A schema file names neither a contact nor a licence, so that no document can. A former path only leads on: that every
// operation can succeed is held by Spectral, which counts 3xx too.
const rules = { 'info-license': 'off', 'operation-2xx-response': 'off' } as const
const redocly = await createConfig({ extends: ['recommended'], rules })
const spectral = new spectralCore.Spectral()
// Redocly holds every example against its schema; Spectral would compile that schema for each place that refers to it.
const ruleset = {
  extends: [[spectralRulesets.oas, 'recommended']],
  rules: { 'info-contact': 'off', 'oas3-valid-media-example': 'off' },
}
spectral.setRuleset(ruleset as unknown as spectralCore.RulesetDefinition) // the two packages disagree about their own types

for (const file of [...examples, ...schemas]) {
  const text = await openapiText(loadModel(readFileSync(join(root, file), 'utf8'), file), defaultLimits)

  test(`${file}: Redocly finds nothing`, async () => {
    const found = await lintFromString({ source: text, absoluteRef: `${file}.json`, config: redocly })
    assert.deepEqual(
      found.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`).slice(0, 12),
      [],
    )
  })

  if (!forSpectral.has(file)) continue
  test(`${file}: Spectral finds nothing`, async () => {
    const found = await spectral.run(text)
    assert.deepEqual(found.map(({ code, message, path }) => `${code} ${path.join('/')} ${message}`).slice(0, 12), [])
  })
}
