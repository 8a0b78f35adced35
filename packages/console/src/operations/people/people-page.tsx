// The accounts: who they are, their roles, sign-ins, identities and locks; and invitations. Everything is there as far as the user may
// see and do it.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { linkTo } from '../../address/address.ts'
import { client } from '../../api/client.ts'
import { fieldNamed, model, pageSize, type TypeModel, typeNamed } from '../../api/model.ts'
import { labelOf, type Row } from '../../api/row.ts'
import { RequestNote } from '../../page/request-note.tsx'
import { printTime } from '../../rows/cell.tsx'
import { texts as common } from '../../texts.ts'
import { operationTexts as texts } from '../operation-texts.ts'
import { useRequest } from '../use-request.ts'
import { Invitations } from './invitations.tsx'
import { PersonDetails } from './person-details.tsx'

interface PeoplePageResult {
  edges: readonly { node: Row }[]
  pageInfo: { hasNextPage: boolean; endCursor: string }
}

const shownPeople = 20

export function PeoplePage() {
  const { signIn } = model.value!
  const type = signIn === null ? undefined : typeNamed(signIn.type)
  return (
    <section class="operations" aria-label={common.people}>
      <h2>{common.people}</h2>
      {type === undefined ? <p class="nothing">{texts.noPeople}</p> : <People type={type} />}
      {signIn?.invites === true && type !== undefined && <Invitations type={type} />}
    </section>
  )
}

function People({ type }: { type: TypeModel }) {
  const people = useSignal<readonly Row[] | null>(null)
  const lastUses = useSignal<ReadonlyMap<string, string>>(new Map())
  const more = useSignal<string | null>(null)
  const words = useSignal('')
  const { failure, run } = useRequest()
  const read = (after: string | null) =>
    run(async () => {
      const wanted = words.value
      const { data } = await client.rest.get<PeoplePageResult>(`/${type.path}?${queryFor(type, wanted, after)}`)
      const found = data!.edges.map(({ node }) => node)
      const uses = await readLastUses(found)
      if (wanted !== words.value) return // another search has begun
      people.value = after === null ? found : [...people.value!, ...found]
      lastUses.value = new Map([...lastUses.value, ...uses])
      more.value = data!.pageInfo.hasNextPage ? data!.pageInfo.endCursor : null
    })
  useEffect(() => void read(null), [words.value])
  return (
    <>
      <div class="actions">
        <input
          type="search"
          aria-label={texts.findPeople}
          placeholder={texts.findPeople}
          value={words.value}
          onChange={(event) => {
            words.value = event.currentTarget.value.trim()
          }}
        />
      </div>
      <RequestNote failure={failure.value} result={people.value} />
      {people.value?.length === 0 && <p class="dim">{common.noMatch}</p>}
      <ul class="history people">
        {people.value?.map((row) => (
          <Person
            key={row.id}
            {...{ type, row }}
            lastUse={lastUses.value.get(row.id)}
            onChange={() => void read(null)}
          />
        ))}
      </ul>
      {more.value !== null && (
        <button type="button" class="button" onClick={() => void read(more.value)}>
          {texts.morePeople}
        </button>
      )}
    </>
  )
}

interface PersonProps {
  type: TypeModel
  row: Row
  /** Missing: there is no session, or the user may not see it. */
  lastUse: string | undefined
  onChange(): void
}

function Person({ type, row, lastUse, onChange }: PersonProps) {
  const { login, roles } = model.value!.signIn!
  const isOpen = useSignal(false)
  const name = labelOf(type, row)
  const rolesOf = roles === null ? null : row[roles]
  return (
    <li>
      <details
        onToggle={(event) => {
          isOpen.value = event.currentTarget.open
        }}
      >
        <summary>
          <strong>{name}</strong> {row[login] !== name && row[login] != null && String(row[login])}
          {[rolesOf ?? []].flat().map((role) => (
            <span key={String(role)} class="badge">
              {String(role)}
            </span>
          ))}
          {row._lockedAt != null && <span class="badge denied">{texts.locked}</span>}
          {lastUse !== undefined && <span class="dim"> {texts.lastUsed(printTime(lastUse))}</span>}
        </summary>
        {isOpen.value && <PersonDetails {...{ type, row, onChange }} />}
      </details>
      <a href={linkTo([type.path, row.id])}>{texts.toRow}</a>
    </li>
  )
}

/** Only fields that the user may read. */
function queryFor(type: TypeModel, words: string, after: string | null): string {
  const { login, roles } = model.value!.signIn!
  const names = ['id', type.label, login, roles, '_lockedAt', '_verifiedAt']
  const fields = [...new Set(names)].filter((name) => name !== null && fieldNamed(type, name) !== undefined)
  const searched = [...new Set([login, type.label])].filter(
    (name) => name !== null && fieldNamed(type, name)?.operators.includes('icontains'),
  ) as string[]
  const where = { or: searched.map((name) => ({ [name]: { icontains: words } })) }
  const filter = words === '' || searched.length === 0 ? '' : `&where=${encodeURIComponent(JSON.stringify(where))}`
  const from = after === null ? '' : `&after=${encodeURIComponent(after)}`
  return `fields=${fields.join(',')}&first=${pageSize(shownPeople)}${filter}${from}`
}

/** When each account was last there: of its newest session. One document asks for all. */
async function readLastUses(people: readonly Row[]): Promise<[id: string, at: string][]> {
  if (people.length === 0 || typeNamed('Token') === undefined) return []
  const newest = 'orderBy: [{lastUsedAt: DESC}], limit: 1) { lastUsedAt }'
  const parameters = people.map((_, index) => `$a${index}: ID!`).join(', ')
  const fields = people.map((_, index) => `p${index}: tokens(where: {account: {id: {eq: $a${index}}}}, ${newest}`)
  const variables = Object.fromEntries(people.map(({ id }, index) => [`a${index}`, id]))
  const query = `query (${parameters}) { ${fields.join(' ')} }`
  const { data } = await client.rest.post<LastUses>('/graphql', { query, variables })
  return people.flatMap(({ id }, index) => {
    const at = data?.data?.[`p${index}`]?.[0]?.lastUsedAt
    return at == null ? [] : [[id, at] as [string, string]]
  })
}

interface LastUses {
  data: Readonly<Record<string, readonly { lastUsedAt: string | null }[]>> | null
}
