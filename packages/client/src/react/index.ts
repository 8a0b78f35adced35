// `@twain/client/react`: hooks, for React 18 and 19.

export { ClientProvider, useClient } from './provider.ts'
export { type MutationState, useMutation } from './use-mutation.ts'
export { type QueryHookOptions, type QueryHookState, useQuery, useSuspenseQuery } from './use-query.ts'
export { useSession } from './use-session.ts'
export { type SubscriptionState, useSubscription } from './use-subscription.ts'
