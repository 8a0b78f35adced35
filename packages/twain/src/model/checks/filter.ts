// A filter that stands in the file (`where` of `@allow` and `@next`): fields that are there, operators that fit them,
// values of their types.

import { type ConstObjectFieldNode, type ConstValueNode, Kind } from 'graphql'
import { didYouMean } from '#base'
import { readLiteral } from '../directives/literals.ts'
import type { Abstract, Field, Resource, StoredType, ValueType } from '../model.ts'
import type { Sketch } from '../reading/sketch.ts'

type Filtered = Resource | Abstract | ValueType

export function checkFilter(node: ConstValueNode, of: Filtered, sketch: Sketch): void {
  for (const member of membersOf(node, `A filter of ${of.name}`, sketch)) checkMember(member, of, sketch)
}

function checkMember(member: ConstObjectFieldNode, of: Filtered, sketch: Sketch): void {
  const { name, value } = member
  const word = name.value
  if (word === 'and' || word === 'or') {
    const items = value.kind === Kind.LIST ? value.values : [value]
    for (const item of items) checkFilter(item, of, sketch)
  } else if (word === 'not') {
    checkFilter(value, of, sketch)
  } else if (word === 'isNull' || (word === 'isViewer' && of.kind !== 'value')) {
    checkBoolean(word, value, sketch)
  } else {
    const field = of.fields.get(word)
    if (field) checkField(value, field, `${of.name}.${word}`, sketch)
    else if (!sketch.declared(of).fields.has(word)) {
      const names = [...of.fields.keys(), 'and', 'or', 'not']
      sketch.report.at(
        name,
        `${of.name} has no field ${word}.`,
        didYouMean(word, names).trim() || `It has ${names.join(', ')}.`,
      )
    }
  }
}

function checkField(
  node: ConstValueNode,
  field: Field | { kind?: never; type: StoredType },
  what: string,
  sketch: Sketch,
) {
  if (field.kind === undefined || field.kind === 'stored') {
    if (field.type.kind === 'value') checkFilter(node, field.type.value, sketch)
    else checkOperators(node, field.type, what, sketch)
    return
  }
  if (field.kind === 'reference' || field.kind === 'inverse') {
    checkFilter(node, field.to, sketch)
    return
  }
  for (const { name, value } of membersOf(node, what, sketch)) {
    if (name.value === 'some' || name.value === 'none') checkFilter(value, field.to, sketch)
    else
      sketch.report.at(
        name,
        `${what} is a list: it has no operator ${name.value}.`,
        'Write: {some: {…}} or {none: {…}}.',
      )
  }
}

function checkOperators(node: ConstValueNode, type: StoredType, what: string, sketch: Sketch): void {
  const fitting = operatorsOf(type)
  for (const { name, value } of membersOf(node, what, sketch)) {
    const operator = name.value
    if (!fitting.includes(operator)) {
      const hint = didYouMean(operator, fitting).trim() || `It has ${fitting.join(', ')}.`
      sketch.report.at(name, `${what} has no operator ${operator}.`, hint)
    } else if (operator === 'isNull') {
      checkBoolean(operator, value, sketch)
    } else {
      const item: StoredType = type.kind === 'list' && operator === 'contains' ? type.of : type
      const list: StoredType = { kind: 'list', of: item, itemRequired: true }
      const isList = operator === 'in' || operator === 'notIn'
      readLiteral(value, isList ? list : item, `${what} in this filter`, sketch.report)
    }
  }
}

/** The operators of product.md, section 2, that fit a type. */
function operatorsOf(type: StoredType): string[] {
  const equal = ['eq', 'ne', 'in', 'notIn', 'isNull']
  const ordered = ['lt', 'lte', 'gt', 'gte']
  const text = ['contains', 'startsWith', 'endsWith']
  if (type.kind === 'list') return ['contains', 'isNull']
  if (type.kind !== 'scalar') return equal
  if (type.name === 'JSON') return ['isNull']
  if (type.name === 'Boolean') return equal
  return type.name === 'String' || type.name === 'ID' ? [...equal, ...ordered, ...text] : [...equal, ...ordered]
}

function checkBoolean(word: string, node: ConstValueNode, { report }: Sketch): void {
  if (node.kind !== Kind.BOOLEAN) report.at(node, `${word} is true or false.`, `Write: {${word}: true}.`)
}

function membersOf(node: ConstValueNode, what: string, { report }: Sketch): readonly ConstObjectFieldNode[] {
  if (node.kind === Kind.OBJECT) return node.fields
  report.at(node, `${what} takes operators, not a plain value.`, 'Write: {eq: …}.')
  return []
}
