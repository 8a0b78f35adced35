import type { ContractService } from './contract-service.ts'
import { restLines } from './printed-contract.ts'

/** The path of the first collection that somebody reads rows of, and who. */
export async function readable({ contract, viewers, send }: ContractService) {
  const lists = restLines({ ...contract }).filter(({ method, path, success }) => {
    return (
      method === 'GET' &&
      /^\/[a-z-]+$/.test(path) &&
      success.includes('200') &&
      contract.table('Kind', 'Path shape', 'Here')[0]![2]!.includes(`\`${path}\``)
    )
  })
  for (const { path } of lists) {
    for (const viewer of viewers.keys()) {
      const reply = await send('GET', `${path}?limit=2`, { viewer })
      if (reply.status === 200 && reply.body.length > 0) return { path, viewer, id: String(reply.body[0].id) }
    }
  }
  throw new Error('there are no rows')
}
