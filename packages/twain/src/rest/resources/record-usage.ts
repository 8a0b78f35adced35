import type { HttpRequest } from '#base'
import type { Naming } from '#plan/explain'

/** Told of each plan that a request was understood as, before it is executed; `whole`: nobody chose what is answered. */
export type NoteUse = (request: HttpRequest, plan: Naming, whole: boolean) => void
