/**
 * The settings. Key, default, documentation and check of each stand side by side. Each group is
 * read once into a typed record. {@code docs/configuration.md} is generated from them. Invariant:
 * no key is read anywhere else.
 */
package org.salus.host.config;
