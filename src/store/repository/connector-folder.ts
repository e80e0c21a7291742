/*
 * The folder of the files through which commands and servers tell each other about connectors, see `search/connectors`. A
 * purge removes these files, but not those of paused connectors.
 */

/** Its name in our own folder. */
export const connectorFolder = 'connectors'
/** What the name of a file ends with, after a dot, that exists while a connector is paused. */
export const pausedEnding = 'paused'
