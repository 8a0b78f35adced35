// The OpenAPI document of every contract that we have, held against two independent linters: no error, no warning.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import * as spectralCore from '@stoplight/spectral-core'
import * as spectralRulesets from '@stoplight/spectral-rulesets'
import { loadModel } from '../packages/twain/src/model/index.ts'
import { defaultLimits } from '../packages/twain/src/plan/index.ts'
import { openapiText } from '../packages/twain/src/rest/index.ts'

const root = join(import.meta.dirname, '..')
const files = [
  'examples/blog/schema.graphql',
  'examples/hello/schema.graphql',
  ...readdirSync(join(import.meta.dirname, 'schemas')).map((name) => `conformance/schemas/${name}`),
]

// A schema file names neither a contact nor a licence, so that no document can.
const redocly = await createConfig({ extends: ['recommended'], rules: { 'info-license': 'off' } })
const spectral = new spectralCore.Spectral()
const ruleset = { extends: [[spectralRulesets.oas, 'recommended']], rules: { 'info-contact': 'off' } }
spectral.setRuleset(ruleset as unknown as spectralCore.RulesetDefinition) // the two packages disagree about their own types

for (const file of files) {
  const text = openapiText(loadModel(readFileSync(join(root, file), 'utf8'), file), defaultLimits)

  test(`${file}: Redocly finds nothing`, async () => {
    const found = await lintFromString({ source: text, absoluteRef: `${file}.json`, config: redocly })
    assert.deepEqual(
      found.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`).slice(0, 12),
      [],
    )
  })

  test(`${file}: Spectral finds nothing`, async () => {
    const found = await spectral.run(text)
    assert.deepEqual(found.map(({ code, message, path }) => `${code} ${path.join('/')} ${message}`).slice(0, 12), [])
  })
}
