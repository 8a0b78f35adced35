// One type: its rules, its fields with who uses them and what needs them, and its state machines.

import { linkTo } from '../address/address.ts'
import { typeAt } from '../api/model.ts'
import {
  type ClientUse,
  pathOf,
  type Schema,
  type SchemaField,
  type SchemaRule,
  type SchemaType,
} from './schema-data.ts'
import { LineLink, schemaLink, TypeLink } from './schema-links.tsx'
import { schemaTexts } from './schema-texts.ts'
import { schemaUses } from './schema-uses.ts'
import { Scrolled } from './scrolled.tsx'
import { StatePicture } from './state-picture.tsx'
import { webhookFilters } from './webhook-filters.ts'

const maxClients = 3

export function TypeDetails({ schema, type }: { schema: Schema; type: SchemaType }) {
  const { name, kind, path, description, memberOf, hooks, file, line } = type
  const fields = schema.fieldsOf(name)
  const isOfRows = kind === 'resource' || kind === 'view'
  const rules = schema.rulesOf(name, null)
  return (
    <section class="type-details" aria-label={name}>
      <h3>{name}</h3>
      <p>
        {schemaTexts.kinds[kind]}
        {memberOf.length > 0 && ` · ${schemaTexts.memberOf(memberOf.join(', '))}`}
        {path !== null && typeAt(path) !== undefined && (
          <>
            {' · '}
            <a href={linkTo([path])}>{schemaTexts.rows}</a>
          </>
        )}
        {' · '}
        <a href={schemaLink('picture', { type: name })}>{schemaTexts.tabs.picture}</a>
        {' · '}
        <LineLink file={file} line={line} />
      </p>
      {description !== null && <p class="description">{description}</p>}
      {hooks.length > 0 && <p>{schemaTexts.hooks(hooks)}</p>}
      {isOfRows && (
        <>
          <h4>{schemaTexts.rules}</h4>
          {rules.length === 0 ? <p class="dim">{schemaTexts.noRules}</p> : <Rules rules={rules} />}
        </>
      )}
      {fields.length > 0 && <FieldTable schema={schema} type={name} fields={fields} />}
      {fields
        .filter(({ start }) => start !== null)
        .map((field) => (
          <StatePicture key={field.name} schema={schema} field={field} />
        ))}
    </section>
  )
}

function Rules({ rules }: { rules: readonly SchemaRule[] }) {
  return (
    <ul class="plain">
      {rules.map(({ rule, file, line }) => (
        <li key={`${rule} ${line}`}>
          <code>{rule}</code> <LineLink file={file} line={line} />
        </li>
      ))}
    </ul>
  )
}

function FieldTable({ schema, type, fields }: { schema: Schema; type: string; fields: readonly SchemaField[] }) {
  return (
    <Scrolled label={`${schemaTexts.fields}: ${type}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{schemaTexts.name}</th>
            <th scope="col">{schemaTexts.type}</th>
            <th scope="col">{schemaTexts.uses}</th>
            <th scope="col">{schemaTexts.needed}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <FieldRow key={field.name} schema={schema} field={field} />
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

function FieldRow({ schema, field }: { schema: Schema; field: SchemaField }) {
  const { of, name, type, to, inverse, unique, description, deprecated, file, line } = field
  return (
    <tr>
      <th scope="row">
        {name} <LineLink file={file} line={line} />
        {description !== null && <div class="description">{description}</div>}
        {deprecated !== null && <div class="description">{schemaTexts.deprecated(deprecated)}</div>}
        {schema.rulesOf(of, name).length > 0 && <Rules rules={schema.rulesOf(of, name)} />}
      </th>
      <td>
        <TypeLink schema={schema} name={to}>
          {type}
        </TypeLink>
        {unique && <span class="dim"> {schemaTexts.unique}</span>}
        {inverse !== null && <div class="dim">{schemaTexts.otherSide(`${to}.${inverse}`)}</div>}
      </td>
      <td>
        <Uses path={pathOf(of, name)} />
      </td>
      <td>
        <ul class="plain">
          {schema.dependenciesOf(of, name).map((one) => (
            <li key={`${one.by} ${one.what} ${one.line}`}>
              {one.what} <LineLink file={one.file} line={one.line} />
            </li>
          ))}
          {webhookFilters.value.get(pathOf(of, name))?.map(({ id, url }) => (
            <li key={id}>
              {schemaTexts.webhookFilter} <a href={linkTo(['webhooks', id])}>{url}</a>
            </li>
          ))}
        </ul>
      </td>
    </tr>
  )
}

function Uses({ path }: { path: string }) {
  const known = schemaUses.value
  if (known === null) return null
  const by = known.uses[path]?.by ?? []
  if (by.length === 0)
    return <span class="dim">{known.since === null ? schemaTexts.notCounted : schemaTexts.unused(known.since)}</span>
  return (
    <ul class="plain">
      {by.slice(0, maxClients).map((use) => (
        <li key={use.client}>{describeUse(use)}</li>
      ))}
      {by.length > maxClients && <li class="dim">{schemaTexts.moreClients(by.length - maxClients)}</li>}
    </ul>
  )
}

function describeUse({ client, requested, returned, rest, graphql }: ClientUse): string {
  const use =
    requested === null ? schemaTexts.returned(returned ?? '', client) : schemaTexts.requested(requested, client)
  const apis = [...(rest === null ? [] : ['REST']), ...(graphql === null ? [] : ['GraphQL'])]
  return apis.length === 0 ? use : `${use} (${apis.join(', ')})`
}
