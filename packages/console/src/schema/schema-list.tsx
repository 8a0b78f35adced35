// All types as a list: the same as the picture, to read, to search and for screen readers.

import { useSignal } from '@preact/signals'
import type { Schema } from './schema-data.ts'
import { schemaLink, schemaParameters } from './schema-links.tsx'
import { schemaTexts } from './schema-texts.ts'
import { TypeDetails } from './type-details.tsx'

export function SchemaList({ schema }: { schema: Schema }) {
  const words = useSignal('')
  const chosen = schema.type(schemaParameters().get('type'))
  const found = schema.find(words.value)
  return (
    <div class="schema-list">
      <div>
        <label>
          {schemaTexts.find}
          <input
            type="search"
            value={words.value}
            onInput={(event) => {
              words.value = event.currentTarget.value
            }}
          />
        </label>
        <p role="status" class="dim">
          {found.length === 0 ? schemaTexts.nothingFound : schemaTexts.found(found.length)}
        </p>
        <ul class="names">
          {found.map(({ name }) => (
            <li key={name}>
              <a href={schemaLink('list', { type: name })} aria-current={name === chosen?.name ? 'true' : undefined}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </div>
      {chosen !== undefined && <TypeDetails key={chosen.name} schema={schema} type={chosen} />}
    </div>
  )
}
