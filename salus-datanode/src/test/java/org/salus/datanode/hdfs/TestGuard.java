package org.salus.datanode.hdfs;

import java.util.Optional;

/** A guard that knows every volume and no DataNode, in a cluster without a secret. */
public class TestGuard extends CertificateGuard {
  @Override
  protected boolean isActive(String volume, long id) {
    return true;
  }

  @Override
  protected boolean isDeleted(String volume, long id) {
    return false;
  }

  @Override
  protected Optional<String> dataNode(String node) {
    return Optional.empty();
  }

  @Override
  protected byte[] secret() {
    return new byte[0];
  }
}
