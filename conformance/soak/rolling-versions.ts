// `npm run rolling`, or `npm run soak -- rolling-versions=nginx,10,40`: three nodes of `twain start` on PostgreSQL behind HAProxy (or nginx)
// are rolled from one version of the schema to another, and back, and forth, under the load of ten clients that never repeat a request
// and of three event readers. No request fails, and no answer is wrong.
// stores: postgres

import { isHere, type Kind } from '../faults/proxies/proxy-process.ts'
import { rollVersions } from '../versions/rolling/roll-versions.ts'

const installed = (['haproxy', 'nginx'] as const).filter(isHere)
const [proxy = installed[0] ?? 'haproxy', clients = '10', turns = '40'] = process.argv.slice(2)

const ends: (() => unknown)[] = []
try {
  await rollVersions(
    { after: (end) => ends.unshift(end) },
    {
      proxy: proxy as Kind,
      versions: [1, 0, 1],
      clients: Number(clients),
      turnsBetween: Number(turns),
      report: console.log,
    },
  )
} finally {
  for (const end of ends) await end()
}
