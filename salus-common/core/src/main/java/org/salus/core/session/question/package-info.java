/**
 * A session's questions to members: {@link org.salus.core.session.question.LeastLoaded} chooses the
 * member to ask, {@link org.salus.core.session.question.Questions} notes what is under way.
 *
 * <p>Invariant: a late answer is as good as any, since the volume tree confirms it. So nothing here
 * judges an answer.
 */
package org.salus.core.session.question;
