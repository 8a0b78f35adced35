// `backgroundJob`, `backgroundJobs` and `updateBackgroundJob`, for administrators. The module jobs decides.

import { ApiError, type Problem, validationError } from '#base'
import { expectAdmin, type Viewer } from '#base/http'
import type { JobAdmin } from '#jobs'
import type { Limits } from '#plan'
import { checkOffset, checkPageSize, defaultPageSize } from '#plan/build'
import type { VariableValues } from '../input/argument-values.ts'
import { applyShape } from '../plan/object-shape.ts'
import type { PlannedJobField } from '../plan/plan-system-fields.ts'

/** The JSON text of the root field. */
export async function jobText(
  { key, action, shape, bindArguments }: PlannedJobField,
  { variables, viewer, limits }: { variables: VariableValues; viewer: Viewer; limits: Limits },
  admin: JobAdmin,
): Promise<string> {
  expectAdmin(viewer, 'Background jobs')
  const args = bindArguments(variables)
  const id = String(args.value('id'))
  switch (action) {
    case 'one': {
      const job = await admin.find(id)
      return JSON.stringify(job && applyShape(job, shape))
    }
    case 'list': {
      const problems: Problem[] = []
      const offset = checkOffset(args.value('offset') ?? 0, limits, `${key}.offset`, problems)
      const limit = checkPageSize(args.value('limit') ?? defaultPageSize, limits, `${key}.limit`, problems)
      if (problems.length > 0) throw validationError(problems)
      const [state, name] = ['state', 'name'].map((one) => (args.value(one) ?? null) as string | null)
      return JSON.stringify(applyShape(await admin.list({ state: state!, name: name!, offset, limit }), shape))
    }
    case 'update': {
      const job = await admin.setState(id, args.value('state'))
      if (job === null) throw new ApiError('NOT_FOUND', `There is no BackgroundJob with the id "${id}".`)
      return JSON.stringify(applyShape(job, shape))
    }
  }
}
