import { iconRoutes } from './icon-routes.js'
import { pageRoutes } from './page-routes.js'
import { landingPageRoutes } from './record-page-routes.js'

export const allPageRoutes = [...landingPageRoutes, ...pageRoutes, ...iconRoutes]
