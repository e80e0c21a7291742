/*
 * The folder of the files through which commands and servers tell each other about connectors, see `search/connectors`.
 * A purge removes these files, but not the files that say which connectors are paused.
 */

/** Name of that folder in our own folder. */
export const connectorFolder = 'connectors'
/** Ending, after a dot, of the file that exists while a connector is paused. */
export const pausedEnding = 'paused'
