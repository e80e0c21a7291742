import { useQuery } from '@tanstack/react-query'
import { answered, client } from '../api/client.js'
import type { Permission } from '../api/interface-types.js'
import type { RecordName } from '../api/records.js'
import { loginOptions, useSession } from './login-session.js'

/**
 * What the person may do with a record. Without a login that is to read, and on a server that asks nobody to log in it is
 * everything, so neither is asked for.
 * @returns undefined until it is known
 */
export function useMay({ collection, id }: RecordName): readonly Permission[] | undefined {
  const { token } = useSession()
  const asked = useQuery({
    queryKey: ['may', collection, id],
    queryFn: ({ signal }) => readMay({ collection, id }, signal),
    enabled: token !== undefined,
  })
  if (!loginOptions.tokens) return ['READ', 'WRITE', 'ADMINISTRATE']
  return token === undefined ? ['READ'] : asked.data
}

async function readMay({ collection, id }: RecordName, signal: AbortSignal): Promise<readonly Permission[]> {
  const params = { path: { id } }
  const { data } = await answered(client.GET(`/api/v2/${collection}/{id}/may`, { params, signal }))
  return data.may ?? []
}
