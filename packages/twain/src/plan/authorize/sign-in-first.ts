// What someone unknown is told where no line of the contract could give them the write.

import { ApiError } from '#base'
import type { WritePlan } from '../plan.ts'

export function signInFirst(action: WritePlan['action'] | 'upload', type: string): ApiError {
  return new ApiError('UNAUTHENTICATED', `Nobody may ${action} a ${type} without signing in.`, {
    headers: { 'www-authenticate': 'Bearer' },
  })
}
