import Hummingbird
import HummingbirdTLS
import NIOSSL
import X509
import SubmitConfiguration
public func begin() {}
