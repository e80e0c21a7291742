import { text } from '../../cli/arguments/option-table.js'
import { accessGroup as group } from '../../cli/arguments/shared-options.js'
import type { CoreParts } from '../../compose/compose.js'
import { defineFeature } from '../../feature.js'
import type { Login } from './login.js'
import type { WebApi } from './open-web-api.js'

export type { Login }

/** What applications in a browser need beside records. @see docs/use/interface.md#for-applications */
export const webApi = defineFeature({
  name: 'web-api',
  options: {
    'oidc-client-id': {
      ...text,
      group,
      describe: 'Id of web applications at the OpenID Connect issuer, with which people log in',
    },
  },
  async loadRoutes() {
    const { webApiRoutes, webApiVersionRoutes } = await import('./routes/web-api-routes.js')
    return {
      routes: webApiRoutes,
      versionRoutes: webApiVersionRoutes,
      tags: [{ name: 'Applications', description: 'What applications in a browser ask for.' }],
    }
  },
  validate: async ({ oidcClientId }, all) => (await import('./login.js')).loginByOptions(oidcClientId, all),
  open: async (parts, _, login) => (await import('./open-web-api.js')).openWebApi(parts, login),
})

/** How one logs in, for features that need it. */
export function loginOf(parts: Pick<CoreParts, 'stateOf'>): Login {
  return (parts.stateOf('web-api') as WebApi).login
}
