// The schema: as a picture, as a list, as its file with the present mistakes, and what a changed file would change. For the role admin;
// the server refuses everybody else.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { address } from '../address/address.ts'
import { type Failure, failureOf } from '../api/client.ts'
import { RequestNote } from '../page/request-note.tsx'
import { texts } from '../texts.ts'
import { ChangesView } from './changes-view.tsx'
import { FileView } from './file-view.tsx'
import { loadSchema, type Schema } from './schema-data.ts'
import { type SchemaTab, schemaLink } from './schema-links.tsx'
import { SchemaList } from './schema-list.tsx'
import { schemaTexts } from './schema-texts.ts'
import { refreshUses } from './schema-uses.ts'
import { TypePicture } from './type-picture.tsx'
import { refreshWebhookFilters } from './webhook-filters.ts'

const tabs = Object.keys(schemaTexts.tabs) as SchemaTab[]

export function SchemaPage() {
  const schema = useSignal<Schema | null>(null)
  const failure = useSignal<Failure | null>(null)
  const load = async () => {
    try {
      schema.value = await loadSchema()
      await Promise.all([refreshUses(), refreshWebhookFilters(schema.value)])
      failure.value = null
    } catch (error) {
      failure.value = failureOf(error)
    }
  }
  useEffect(() => void load(), [])
  const [, step] = address.value.steps
  const tab = tabs.find((one) => one === step) ?? 'picture'
  return (
    <section class="operations schema" aria-label={texts.schema}>
      <h2>{texts.schema}</h2>
      <RequestNote failure={failure.value} result={schema.value} />
      {schema.value !== null && (
        <>
          <nav class="actions" aria-label={schemaTexts.views}>
            {tabs.map((one) => (
              <a key={one} class="button" href={schemaLink(one)} aria-current={one === tab ? 'page' : undefined}>
                {schemaTexts.tabs[one]}
              </a>
            ))}
          </nav>
          {tab === 'picture' && <TypePicture schema={schema.value} />}
          {tab === 'list' && <SchemaList schema={schema.value} />}
          {tab === 'file' && <FileView onServed={() => void load()} />}
          {tab === 'changes' && <ChangesView />}
        </>
      )}
    </section>
  )
}
