import { type Model, stateFields } from '#model'
import { describeTransitionActor } from '#plan/explain'
import { drawStateMachines } from '../report/draw-state-machines.ts'
import { code, table } from './markdown.ts'

export function statesPart(model: Model): string {
  const fields = model.resources.flatMap(stateFields)
  if (fields.length === 0) {
    return 'No field of this service is a state machine (no enum has `@next`): rows of every type have no states beside being there or not, and any value of an enum may follow any other, as the rules of section 5 allow the write.\n'
  }
  const rows = fields.flatMap((field) =>
    field.stateMachine.transitions.flatMap((move) =>
      move.to.map((to) => [
        code(`${field.owner.name}.${field.name}`),
        code(move.from),
        code(to),
        describeTransitionActor(move) || 'whoever may update the row',
      ]),
    ),
  )
  const starts = fields.map(
    ({ owner, name, stateMachine }) => `\`${owner.name}.${name}\` starts as \`${stateMachine.start}\``,
  )
  return [
    `${starts.join('; ')}. A create that names another start, and a move that is not in the table, is a 409 \`CONFLICT\` (\`STATE\`) that names what may follow; one that is for others is a 403. Writing the present state again is no move. Of several who race, one leaves a state.\n`,
    table(['Field', 'From', 'To', 'For whom, and when'], rows),
    drawStateMachines(model)
      .replaceAll(/^## /gm, '**')
      .replaceAll(/^(\*\*\S+)$/gm, '$1**'),
  ].join('\n')
}
